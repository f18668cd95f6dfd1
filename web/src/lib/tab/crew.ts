/**
 * Workers that only run the engine, for reviews and analyses. They are started when needed and stopped after being idle for a
 * while, because each loads its own Python. They stop together with the worker that started them.
 */

import type { Answer, Job } from './messages';

const MOST = 3;
const IDLE_MS = 60_000;

interface Waiting {
  id: string;
  job: string;
  done(text: string): void;
  fail(error: Error): void;
}

/** The number of such workers on a device: two processors are left for the page and the worker with the games. */
export const crewSize = (processors: number): number => Math.max(0, Math.min(MOST, processors - 2));

export class Crew {
  /** How many may run at the same time; 0 after one could not be loaded. */
  size: number;
  private readonly idle: Worker[] = [];
  private readonly busy = new Map<Worker, Waiting>();
  private readonly queue: Waiting[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly folder: string,
    processors: number,
    private readonly make: () => Worker = () =>
      new Worker(new URL('./thinker.ts', import.meta.url), { type: 'module' }),
  ) {
    this.size = crewSize(processors);
  }

  /** The answer of a worker as JSON. */
  ask(id: string, job: string): Promise<string> {
    return new Promise((done, fail) => {
      this.queue.push({ id, job, done, fail });
      this.next();
    });
  }

  /** Cancels a job. Its worker is free once it has answered. */
  cancel(id: string): void {
    const at = this.queue.findIndex((one) => one.id === id);
    if (at >= 0) this.queue.splice(at, 1);
    for (const [worker, one] of this.busy) if (one.id === id) this.post(worker, { type: 'cancel', id });
  }

  private next(): void {
    clearTimeout(this.timer);
    while (this.queue.length && (this.idle.length || this.busy.size < this.size)) {
      const worker = this.idle.pop() ?? this.begin();
      const one = this.queue.shift();
      if (!one) return;
      this.busy.set(worker, one);
      this.post(worker, { type: 'ask', id: one.id, job: one.job });
    }
    if (!this.busy.size) this.timer = setTimeout(() => this.rest(), IDLE_MS);
  }

  private begin(): Worker {
    const worker = this.make();
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      if ('failed' in data) this.failed(data.failed);
      else this.answered(worker, data.text);
    };
    worker.onerror = (event) => this.failed(event.message);
    this.post(worker, { type: 'start', folder: this.folder });
    return worker;
  }

  private answered(worker: Worker, text: string): void {
    const one = this.busy.get(worker);
    this.busy.delete(worker);
    this.idle.push(worker);
    one?.done(text);
    this.next();
  }

  /** Fails all jobs, because Python could not be loaded: the caller then computes without other workers. */
  private failed(message: string): void {
    this.size = 0;
    const lost = [...this.busy.values(), ...this.queue.splice(0)];
    for (const worker of this.busy.keys()) worker.terminate();
    this.busy.clear();
    this.rest();
    for (const one of lost) one.fail(new Error(message));
  }

  private rest(): void {
    for (const worker of this.idle.splice(0)) worker.terminate();
  }

  private post(worker: Worker, job: Job): void {
    worker.postMessage(job);
  }
}
