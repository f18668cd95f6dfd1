/** Changes of studies, and the queue of changes that the server has not confirmed. */

import type { Change, Made, Said } from '../game/tree';
import { newKey } from '../net/key';
import type { Schemas } from '../net/types';

/** A change as the server reads it: what it sets, by whom, and when on the study's own clock. */
interface Stamped {
  time: number;
  by: string;
}
export type ChapterFields = Schemas['ChapterFields'];
export type NodeFields = Omit<Said, 'isHidden'> & { is_hidden: boolean };

export type StudyChange = Stamped &
  (
    | { type: 'study'; set: Schemas['StudyFields'] }
    | { type: 'chapter'; id: string; set: ChapterFields }
    | { type: 'node'; chapter: string; id: string; made?: Made; set: Partial<NodeFields> }
  );
export type NodeChange = Extract<StudyChange, { type: 'node' }>;

/** A change of a tree, as the server reads it. */
export function sentChange(chapter: string, { id, made, set, time, by }: Change): NodeChange {
  const { isHidden, ...fields } = set;
  return {
    type: 'node',
    chapter,
    id,
    ...(made ? { made } : {}),
    set: { ...fields, ...(isHidden === undefined ? {} : { is_hidden: isHidden }) },
    time,
    by,
  };
}

/** The same for the tree. */
export function treeChange({ id, made, set, time, by }: NodeChange): Change {
  const { is_hidden, ...fields } = set;
  return {
    id,
    ...(made ? { made } : {}),
    set: { ...fields, ...(is_hidden === undefined ? {} : { isHidden: is_hidden }) },
    time,
    by,
  };
}

const target = (change: StudyChange): string =>
  [change.type, 'chapter' in change ? change.chapter : '', 'id' in change ? change.id : ''].join(' ');

/** Whether one change replaces another one: the same fields of the same thing, later, by the same editor. */
function replaces(later: StudyChange, earlier: StudyChange): boolean {
  const fields = (change: StudyChange) => Object.keys(change.set).sort().join();
  return (
    later.by === earlier.by &&
    target(later) === target(earlier) &&
    fields(later) === fields(earlier) &&
    !('made' in earlier)
  );
}

export interface Batch {
  /** The same batch sent again has the same key, so that it counts once. */
  key: string;
  changes: StudyChange[];
}

/** What is stored of a queue. */
export interface StoredQueue {
  sending: Batch | null;
  waiting: StudyChange[];
}

/** `saved`: the server has everything. `waiting`: it could not be reached. `refused`: it did not take a batch. */
export type QueueState = 'saved' | 'sending' | 'waiting' | 'refused';

export interface QueuePort {
  /** Resolves when the server has the batch. The last one is sent while the page is being left. */
  send: (batch: Batch, isLast: boolean) => Promise<void>;
  store: (queue: StoredQueue | null) => void;
  /** What a failed batch means: try again after this many milliseconds, continue without one change, send less at once, or stop. */
  judge: (error: unknown) => { after: number } | { without: number } | 'smaller' | 'stop';
  onstate: (state: QueueState) => void;
  /** Called with what the server refused. */
  onrefused: (error: unknown) => void;
}

/** Bounds of a batch. A browser sends up to 64 KiB while a page is being left; a server takes more. */
const MOST_CHANGES = 200;
const MOST_BYTES = 60_000;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;
/** Milliseconds until changes are sent: what is typed meanwhile is sent together. */
const PAUSE = 250;

/** Sends changes in order, one batch at a time, until the server has them. Everything is stored before it is sent. */
export class ChangeQueue {
  state: QueueState = 'saved';
  private sending: Batch | null = null;
  private waiting: StudyChange[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isBusy = false;
  /** Resolves when the batch that is being sent is answered. */
  private current: Promise<void> = Promise.resolve();
  private wait = FIRST_WAIT;
  private isClosed = false;

  constructor(private readonly port: QueuePort) {}

  /** Changes that the server may not have, in order. */
  get pending(): StudyChange[] {
    return [...(this.sending?.changes ?? []), ...this.waiting];
  }

  /** Takes over what an earlier visit could not send. */
  adopt({ sending, waiting }: StoredQueue): void {
    if (this.sending && sending) this.waiting.push(...sending.changes);
    else this.sending ??= sending;
    this.waiting.push(...waiting);
    this.kept();
    if (this.pending.length) this.flush();
  }

  add(changes: readonly StudyChange[]): void {
    for (const change of changes) {
      const last = this.waiting.at(-1);
      if (last && replaces(change, last)) this.waiting[this.waiting.length - 1] = change;
      else this.waiting.push(change);
    }
    this.kept();
    // In these states, the next attempt is scheduled or needs the reader.
    if (this.state === 'refused' || this.state === 'waiting') return;
    this.become('sending');
    if (!this.isBusy) this.later(PAUSE);
  }

  /** Sends at once what there is: after a connection came back, or when somebody asks for it. */
  flush(): void {
    this.wait = FIRST_WAIT;
    void this.send();
  }

  /** Sends everything at once. Returns whether the server has it. */
  async sendAll(): Promise<boolean> {
    if (this.state === 'refused') return false;
    do await this.send();
    while (this.state === 'sending' && this.pending.length);
    return !this.pending.length;
  }

  /** Sends what there is while the page is being left. It stays stored until the server has it. */
  leave(): void {
    if (!this.pending.length || this.state === 'refused') return;
    // The browser cancels a request that was sent before; the same key counts once.
    if (this.isBusy && this.sending) void this.port.send(this.sending, true).catch(() => undefined);
    else void this.send(true);
  }

  /** Discards all changes that were not sent. */
  drop(): void {
    this.sending = null;
    this.waiting = [];
    clearTimeout(this.timer);
    this.kept();
    this.become('saved');
  }

  /** Sends the pending changes once, without retries. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.leave();
  }

  private later(milliseconds: number): void {
    clearTimeout(this.timer);
    if (!this.isClosed) this.timer = setTimeout(() => void this.send(), milliseconds);
  }

  private send(isLast = false): Promise<void> {
    clearTimeout(this.timer);
    if (!this.isBusy) this.current = this.sendBatch(isLast);
    return this.current;
  }

  private async sendBatch(isLast: boolean): Promise<void> {
    this.sending ??= this.waiting.length ? this.batch(this.waiting.splice(0, this.fitting())) : null;
    if (!this.sending) return this.become('saved');
    this.isBusy = true;
    this.become('sending');
    this.kept();
    const batch = this.sending;
    try {
      await this.port.send(batch, isLast);
      if (this.sending === batch) this.sending = null;
      this.wait = FIRST_WAIT;
    } catch (error) {
      this.isBusy = false;
      if (this.sending === batch) this.failed(error, batch);
      return;
    }
    this.isBusy = false;
    this.kept();
    if (!this.waiting.length) this.become('saved');
    else if (this.isClosed) await this.send(true);
    else this.later(PAUSE);
  }

  private failed(error: unknown, batch: Batch): void {
    const verdict = this.port.judge(error);
    if (verdict === 'smaller' && batch.changes.length > 1) {
      const half = Math.ceil(batch.changes.length / 2);
      this.sending = this.batch(batch.changes.slice(0, half));
      this.waiting.unshift(...batch.changes.slice(half));
      this.kept();
      this.later(0);
      return;
    }
    if (verdict === 'stop' || verdict === 'smaller') {
      this.become('refused');
      this.port.onrefused(error);
      return;
    }
    if ('without' in verdict) {
      // What depends on the refused change is refused in turn.
      const rest = batch.changes.filter((_, i) => i !== verdict.without);
      this.sending = rest.length ? this.batch(rest) : null;
      this.kept();
      this.port.onrefused(error);
      this.later(0);
      return;
    }
    this.become('waiting');
    this.later(Math.max(verdict.after, this.wait));
    this.wait = Math.min(LONGEST_WAIT, this.wait * 2);
  }

  /** How many of the waiting changes fit into a batch: at least one. */
  private fitting(): number {
    const encoder = new TextEncoder();
    let bytes = 0;
    const end = this.waiting
      .slice(0, MOST_CHANGES)
      .findIndex((change) => (bytes += encoder.encode(JSON.stringify(change)).length) > MOST_BYTES);
    return end < 0 ? MOST_CHANGES : Math.max(1, end);
  }

  private batch(changes: StudyChange[]): Batch {
    return { key: newKey(), changes };
  }

  private kept(): void {
    const isEmpty = !this.sending && !this.waiting.length;
    this.port.store(isEmpty ? null : { sending: this.sending, waiting: this.waiting });
  }

  private become(state: QueueState): void {
    if (this.state === state) return;
    this.state = state;
    this.port.onstate(state);
  }
}
