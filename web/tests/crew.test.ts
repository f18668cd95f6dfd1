/** Workers that only run the engine: how many there are, which one gets a job, and when they stop. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Crew, crewSize } from '../src/lib/tab/crew';
import type { Answer, Job } from '../src/lib/tab/messages';

class FakeWorker {
  static made: FakeWorker[] = [];
  onmessage: ((event: MessageEvent<Answer>) => void) | null = null;
  onerror: ((event: { message: string }) => void) | null = null;
  readonly heard: Job[] = [];
  isEnded = false;
  constructor() {
    FakeWorker.made.push(this);
  }
  postMessage(job: Job): void {
    this.heard.push(job);
  }
  terminate(): void {
    this.isEnded = true;
  }
  answer(data: Answer): void {
    this.onmessage?.({ data } as MessageEvent<Answer>);
  }
  get ids(): string[] {
    return this.heard.flatMap((job) => (job.type === 'ask' ? [job.id] : []));
  }
}

const crewOf = (processors: number) => new Crew('/tab/', processors, () => new FakeWorker() as unknown as Worker);
const made = FakeWorker.made;

beforeEach(() => {
  vi.useFakeTimers();
  made.length = 0;
});
afterEach(() => vi.useRealTimers());

describe('the crew', () => {
  it('leaves two processors to the page and its games, and has a maximum size', () => {
    expect([1, 2, 3, 4, 8, 64].map(crewSize)).toEqual([0, 0, 1, 2, 3, 3]);
  });

  it('starts workers when they are needed and gives waiting jobs to those that are free', async () => {
    const crew = crewOf(4);
    const answers = ['a', 'b', 'c'].map((id) => crew.ask(id, '{}'));
    expect(made.map((worker) => worker.ids)).toEqual([['a'], ['b']]);
    made[1]?.answer({ id: 'b', text: '2' });
    expect(made.map((worker) => worker.ids)).toEqual([['a'], ['b', 'c']]);
    made[0]?.answer({ id: 'a', text: '1' });
    made[1]?.answer({ id: 'c', text: '3' });
    expect(await Promise.all(answers)).toEqual(['1', '2', '3']);
    expect(made.length).toBe(2);
  });

  it('cancels running jobs, drops waiting ones, and reuses a worker only after it has answered', () => {
    const crew = crewOf(3);
    void crew.ask('runs', '{}');
    void crew.ask('waits', '{}');
    crew.cancel('waits');
    crew.cancel('runs');
    expect(made[0]?.heard.at(-1)).toEqual({ type: 'cancel', id: 'runs' });
    void crew.ask('next', '{}');
    expect(made[0]?.ids).toEqual(['runs']);
    made[0]?.answer({ id: 'runs', text: 'null' });
    expect(made[0]?.ids).toEqual(['runs', 'next']);
  });

  it('stops workers that were idle for a minute, but no busy ones', () => {
    const crew = crewOf(4);
    void crew.ask('a', '{}');
    void crew.ask('b', '{}');
    made[0]?.answer({ id: 'a', text: '1' });
    vi.advanceTimersByTime(120_000);
    expect(made.map((worker) => worker.isEnded)).toEqual([false, false]);
    made[1]?.answer({ id: 'b', text: '2' });
    vi.advanceTimersByTime(120_000);
    expect(made.map((worker) => worker.isEnded)).toEqual([true, true]);
    void crew.ask('c', '{}');
    expect(made[2]?.ids).toEqual(['c']);
  });

  it('starts no more workers after one could not be loaded', async () => {
    const crew = crewOf(4);
    const answers = Promise.allSettled(['a', 'b', 'c'].map((id) => crew.ask(id, '{}')));
    made[0]?.answer({ failed: 'out of memory' });
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(crew.size).toBe(0);
    expect(made.every((worker) => worker.isEnded)).toBe(true);
  });
});
