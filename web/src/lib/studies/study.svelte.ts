/** A study as this browser sees it: its chapters, the one that is shown, and the changes of everybody who edits it. */

import { loadPage } from '../../games/index.svelte';
import { keep, kept } from '../game/storage';
import { ROOT, TurnTree } from '../game/tree';
import { asRefused, editorName, TreeBoard } from '../game/treeBoard.svelte';
import { Refused } from '../net/client';
import { Live, type LinkState } from '../net/live';
import { studies, studyAddress, type ChapterView, type StudyMessage, type StudyView } from '../net/studies';
import {
  ChangeQueue,
  sentChange,
  treeChange,
  type ChapterFields,
  type NodeChange,
  type QueueState,
  type StoredQueue,
  type StudyChange,
} from './changes';
import { countUnsent, dropUnsent, queueKey, storedQueues } from './unsent';

/** By rank; those of the same rank by id. */
function inOrder(chapters: readonly ChapterView[]): ChapterView[] {
  return [...chapters].sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
}

export class OpenStudy {
  view = $state.raw<StudyView | null>(null);
  people = $state.raw<{ editors: number; readers: number } | null>(null);
  link = $state<LinkState>('connecting');
  saving = $state<QueueState>('saved');
  /** Why the study or the chapter can't be shown. */
  problem = $state.raw<Refused | null>(null);
  /** Why the server did not take a change. */
  refused = $state.raw<Refused | null>(null);
  isGone = $state(false);
  /** The chapter on the board; null until it is read. */
  shown = $state<string | null>(null);
  /** The chapter that was removed last, until it is restored. */
  removed = $state.raw<ChapterView | null>(null);
  readonly board = new TreeBoard();

  private readonly by = editorName();
  private readonly queue: ChangeQueue;
  /** Every chapter that was listed, even if it was removed since. */
  private readonly known = new Map<string, ChapterView>();
  private live: Live<StudyMessage> | undefined;
  private seq = 0;
  private time = 0;
  private isClosed = false;
  private opening = 0;
  /** Changes received while a chapter is being read; null while none is. */
  private received: NodeChange[] | null = null;
  /** Rises when the queue changes. */
  private version = $state(0);
  private refreshing: ReturnType<typeof setTimeout> | undefined;
  private retrying: ReturnType<typeof setTimeout> | undefined;
  private again: (() => void) | undefined;

  constructor(readonly id: string) {
    const key = queueKey(id, this.by);
    this.queue = new ChangeQueue({
      send: async (batch, isLast) => {
        await studies.change(id, batch, isLast);
        // Until then the list of chapters shows what is pending.
        if (!this.isClosed && batch.changes.some(({ type }) => type !== 'node')) await this.refresh();
      },
      store: (queue) => {
        keep(key, queue);
        this.version++;
      },
      judge,
      onstate: (state) => (this.saving = state),
      onrefused: (error) => {
        this.refused = asRefused(error);
        // Without the refused change, if the others were taken.
        if (this.saving !== 'refused' && this.shown !== null && !this.isClosed) void this.look(this.shown);
      },
    });
    this.board.onedit = (changes) => {
      const { shown } = this;
      if (shown !== null) this.send(changes.map((change) => sentChange(shown, change)));
    };
    addEventListener('pagehide', this.leave);
  }

  readonly canEdit = $derived(this.view !== null && this.view.access !== 'reader');
  readonly name = $derived.by(() => {
    void this.version;
    const names = this.queue.pending.flatMap((change) => (change.type === 'study' ? (change.set.name ?? []) : []));
    return names.at(-1) ?? this.view?.name ?? '';
  });
  /** The chapters in order, with what the server does not have yet. */
  readonly chapters = $derived.by<ChapterView[]>(() => {
    void this.version;
    const found = new Map(this.view?.chapters.map((chapter) => [chapter.id, { ...chapter, is_hidden: false }]));
    for (const change of this.queue.pending) {
      if (change.type !== 'chapter') continue;
      // A removed chapter is not in the server's list, but may be restored.
      const known = this.known.get(change.id);
      const chapter = found.get(change.id) ?? (known && { ...known, is_hidden: true });
      if (chapter) found.set(change.id, Object.assign(chapter, change.set));
    }
    return inOrder([...found.values()].filter((chapter) => !chapter.is_hidden));
  });
  /** How many changes this browser has not sent; counted for a study that is gone. */
  readonly unsent = $derived.by(() => {
    void this.version;
    return this.isGone || this.problem?.status === 404 ? countUnsent(this.id) : 0;
  });
  readonly chapter = $derived(this.chapters.find(({ id }) => id === this.shown) ?? null);

  /** Reads the study and follows it; with the secret of an edit link, as an editor. */
  async open(secret: string | null): Promise<void> {
    try {
      if (secret !== null) await studies.join(this.id, secret);
      this.take(await studies.one(this.id));
    } catch (error) {
      this.fail(error, () => void this.open(secret));
      return;
    }
    if (this.isClosed || this.live) return;
    this.problem = null;
    // Keep the queues of a reader without edit rights: they may come back.
    for (const key of this.canEdit ? storedQueues(this.id) : []) {
      const queue = kept<StoredQueue>(key);
      keep(key, null);
      if (queue) this.queue.adopt(queue);
    }
    this.time = Math.max(this.time, ...this.queue.pending.map(({ time }) => time));
    this.live = new Live<StudyMessage>(
      studyAddress(this.id),
      () => this.seq,
      (message) => this.hear(message),
      (state) => {
        this.link = state;
        if (state !== 'open') return;
        if (this.queue.state === 'waiting') this.queue.flush();
        if (this.shown !== null) this.board.retry();
      },
    );
  }

  close(): void {
    this.isClosed = true;
    removeEventListener('pagehide', this.leave);
    clearTimeout(this.refreshing);
    clearTimeout(this.retrying);
    this.live?.close();
    this.queue.close();
    this.board.close();
  }

  /** Shows a chapter: from its start, or from the same place if it is shown already. `onread` is called before it is shown. */
  async look(chapter: string, onread?: () => void): Promise<void> {
    clearTimeout(this.retrying);
    const mine = ++this.opening;
    const at = chapter === this.shown ? this.board.at : ROOT;
    this.received = [];
    try {
      const { stored, read } = await studies.chapter(this.id, chapter);
      const page = await loadPage(read.game);
      if (mine !== this.opening || this.isClosed) return;
      const tree = TurnTree.stored(stored, editorName());
      this.problem = null;
      onread?.();
      this.board.show(read, tree, page);
      this.shown = chapter;
      const received = this.received ?? [];
      this.received = null;
      this.takeIn([...received, ...this.queue.pending.filter((change) => change.type === 'node')]);
      this.board.look(tree.has(at) ? at : ROOT);
    } catch (error) {
      if (mine === this.opening) this.fail(error, () => void this.look(chapter, onread));
    }
  }

  rename(name: string): void {
    this.send([{ type: 'study', set: { name }, ...this.stamp() }]);
  }

  setChapter(id: string, set: ChapterFields): void {
    this.send([{ type: 'chapter', id, set, ...this.stamp() }]);
  }

  /** Moves a chapter one place up or down. */
  moveChapter(id: string, by: 1 | -1): void {
    const order = this.chapters.map((chapter) => chapter.id);
    const [from, to] = [order.indexOf(id), order.indexOf(id) + by];
    if (from < 0 || to < 0 || to >= order.length) return;
    order.splice(to, 0, ...order.splice(from, 1));
    const ranks = new Map(this.chapters.map((chapter) => [chapter.id, chapter.rank]));
    const stamp = this.stamp();
    this.send(
      order.flatMap((one, rank): StudyChange[] =>
        ranks.get(one) === rank ? [] : [{ type: 'chapter', id: one, set: { rank }, ...stamp }],
      ),
    );
  }

  removeChapter(id: string): void {
    this.removed = this.chapters.find((chapter) => chapter.id === id) ?? null;
    this.setChapter(id, { is_hidden: true });
  }

  restoreChapter(): void {
    if (this.removed) this.setChapter(this.removed.id, { is_hidden: false });
    this.removed = null;
  }

  /** Sends once more what was refused. */
  retry(): void {
    this.refused = null;
    this.queue.flush();
  }

  /** Gives up what was refused, as soon as the chapter can be read again without it. */
  async discard(): Promise<void> {
    const drop = () => {
      this.refused = null;
      this.queue.drop();
    };
    if (this.shown === null) drop();
    else await this.look(this.shown, drop);
    this.refreshSoon();
  }

  /** Sends what the server does not have yet, before the study is copied or exported. */
  async save(): Promise<void> {
    if (!(await this.queue.sendAll())) throw this.refused ?? new Refused('offline', 'No answer from the server.', 0);
  }

  /** Deletes the study, and what this browser keeps of it. */
  async remove(): Promise<void> {
    await studies.remove(this.id);
    this.forget();
  }

  /** Gives up what was not sent of a study that is gone. */
  forget(): void {
    this.queue.drop();
    dropUnsent(this.id);
    this.version++;
  }

  /** Opens once more what could not be opened. */
  tryAgain(): void {
    clearTimeout(this.retrying);
    this.again?.();
  }

  async refresh(): Promise<void> {
    this.take(await studies.one(this.id));
  }

  private readonly leave = (): void => this.queue.leave();

  private take(view: StudyView): void {
    this.view = view;
    for (const chapter of view.chapters) this.known.set(chapter.id, chapter);
    // Only the first view sets `seq`: later ones may be ahead of the changes received so far.
    if (!this.live) this.seq = view.seq;
    this.time = Math.max(this.time, view.time);
  }

  private stamp(): { time: number; by: string } {
    return { time: ++this.time, by: this.by };
  }

  private send(changes: readonly StudyChange[]): void {
    if (!changes.length || !this.canEdit) return;
    this.refused = this.saving === 'refused' ? this.refused : null;
    this.queue.add(changes);
  }

  private hear(message: StudyMessage): void {
    if (message.type === 'changes') {
      this.seq = Math.max(this.seq, message.seq);
      for (const { time } of message.changes) this.time = Math.max(this.time, time);
      this.takeIn(message.changes.filter((change) => change.type === 'node'));
      if (message.changes.some(({ type }) => type !== 'node')) this.refreshSoon();
    } else if (message.type === 'study') this.take(message);
    else if (message.type === 'people') this.people = { editors: message.editors, readers: message.readers };
    else if (message.type === 'reload') {
      this.seq = message.seq;
      this.refreshSoon();
      if (this.shown !== null) void this.look(this.shown);
    } else if (message.type === 'gone') {
      this.isGone = true;
      this.live?.close();
    }
  }

  private takeIn(changes: readonly NodeChange[]): void {
    this.received?.push(...changes);
    if (this.shown !== null) this.board.takeIn(changes.filter(({ chapter }) => chapter === this.shown).map(treeChange));
  }

  private refreshSoon(): void {
    clearTimeout(this.refreshing);
    this.refreshing = setTimeout(() => void this.refresh().catch(() => undefined), 60);
  }

  private fail(error: unknown, again: () => void): void {
    this.problem = asRefused(error);
    this.again = again;
    clearTimeout(this.retrying);
    if (this.problem.code === 'offline' && !this.isClosed) this.retrying = setTimeout(again, 2000);
  }
}

/** What a refused batch means for the queue. */
function judge(error: unknown): ReturnType<ConstructorParameters<typeof ChangeQueue>[0]['judge']> {
  if (!(error instanceof Refused)) return { after: 0 };
  if (error.status === 0 || error.status >= 500 || error.status === 429)
    return { after: 1000 * Number(error.facts['retry_after'] ?? 0) };
  if (error.status === 413) return 'smaller';
  const index = error.facts['index'];
  return typeof index === 'number' ? { without: index } : 'stop';
}
