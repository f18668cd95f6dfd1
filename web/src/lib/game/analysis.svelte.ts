/** An analysis: a tree of turns that this browser keeps, shared with its other tabs. */

import { loadPage } from '../../games/index.svelte';
import { api, Refused } from '../net/client';
import type { ReadTree } from '../net/types';
import { draftOf, dropDraft, keepDraft, type Draft } from './analysisDrafts';
import { ROOT, TurnTree, type Change, type NodeId, type StoredTree, type TreeData } from './tree';
import { asRefused, editorName, TreeBoard } from './treeBoard.svelte';

/** The source of an analysis: a permanent key, an address, and a function that reads it. */
export interface AnalysisSource {
  key: string;
  address: string;
  read: () => Promise<ReadTree>;
  /** The turns of a game as they are now, if it may have gone on since it was opened. */
  latest?: () => Promise<TreeData>;
  /** Called after the analysis is stored as a draft, for a source that can't be read again. */
  onkept?: () => void;
}

/** A stored draft that the server refuses to read. It is kept until the reader discards it. */
export interface RefusedDraft {
  key: string;
  draft: Draft;
  problem: Refused;
}

/** A message between tabs. Without `changes`, a tab asks the others for changes that it may have missed. */
interface Message {
  key: string;
  changes?: Change[];
}

/** Whether the request itself is wrong, so that repeating it is useless. */
const isFinal = ({ status }: Refused): boolean => status >= 400 && status < 500 && status !== 429;

export class AnalysisBoard extends TreeBoard {
  isOpen = $state(false);
  /** The draft that could not be opened, if it was the last to be opened. */
  refused = $state.raw<RefusedDraft | null>(null);
  /** Whether there are changes to discard. */
  isChanged = $state(false);
  /** How many turns the game has got since this browser stored the work on it. */
  grown = $state(0);

  private source: AnalysisSource | null = null;
  private origin: StoredTree | null = null;
  private readonly channel =
    typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('terrarium.analysis');
  private opening = 0;

  constructor() {
    super();
    this.channel?.addEventListener('message', (event: MessageEvent<Message>) => this.receive(event.data));
  }

  override close(): void {
    super.close();
    this.channel?.close();
  }

  /** The key of the source. */
  get key(): string {
    return this.source?.key ?? '';
  }

  /** The address of the shown place; it names the turn if that is on the main line. */
  get address(): string | null {
    if (!this.source) return null;
    const url = new URL(this.source.address, 'http://terrarium');
    const number = this.place?.number ?? 0;
    if (number && this.plain.isMain(this.at)) url.searchParams.set('turn', String(number));
    return url.pathname + url.search + url.hash;
  }

  /** Opens the draft of this source if there is one, or else the source. Throws if the server refuses the source. */
  async open(source: AnalysisSource, turn: number | null): Promise<void> {
    const mine = ++this.opening;
    this.refused = null;
    const draft = draftOf(source.key);
    let read: ReadTree;
    let tree: TurnTree | null = null;
    let origin = draft?.origin;
    let grown = 0;
    if (draft) {
      // The work can be shown without the game.
      const latest = await source.latest?.().catch(() => null);
      try {
        tree = TurnTree.stored(draft.tree, editorName());
        if (latest) {
          const before = TurnTree.stored(draft.origin, '');
          grown = tree.grow(before, latest);
          origin = before.store();
        }
        read = await api.tree({ tree: tree.data() });
      } catch (error) {
        if (mine !== this.opening) return;
        const problem = asRefused(error, 'invalid-tree');
        if (tree && !isFinal(problem)) throw problem;
        // Do not open the source instead: storing it would overwrite the draft.
        this.refused = { key: source.key, draft, problem };
        return;
      }
    } else read = await source.read();
    const page = await loadPage(read.game);
    // Another source was opened meanwhile.
    if (mine !== this.opening) return;
    const shown = tree ?? TurnTree.from(read.tree, editorName());
    this.source = source;
    this.origin = (tree && origin) ?? shown.store();
    this.isChanged = tree !== null;
    this.grown = grown;
    this.show(read, shown, page);
    this.isOpen = true;
    this.catchUp(source.key, draft);
    if (source.onkept || grown) this.keep();
    // Tabs that were open before need the new turns, or they would drop what is said about them.
    if (grown) this.send({ key: source.key, changes: this.plain.changes() });
    source.onkept?.();
    const wanted =
      turn === null ? undefined : this.plain.line(ROOT).findLast((id) => this.placeOf(id)?.number === turn);
    this.look(wanted ?? (draft && tree?.has(draft.at) ? draft.at : ROOT));
  }

  /** Resets the tree to how it was opened. This can be undone. */
  discard(): void {
    if (!this.origin || !this.source) return;
    this.plain.become(this.origin);
    this.isChanged = false;
    this.follow(this.at);
    dropDraft(this.source.key);
  }

  /** Deletes the draft that could not be opened. */
  discardRefused(): void {
    if (this.refused) dropDraft(this.refused.key);
    this.refused = null;
  }

  override look(id: NodeId): void {
    super.look(id);
    if (this.isChanged) this.keep();
  }

  override takeIn(changes: readonly Change[]): boolean {
    const isOther = super.takeIn(changes);
    if (isOther) this.isChanged = true;
    return isOther;
  }

  protected override changed(changes: Change[]): void {
    this.isChanged = true;
    super.changed(changes);
    this.keep();
    if (this.source) this.send({ key: this.source.key, changes });
  }

  private send(message: Message): void {
    this.channel?.postMessage($state.snapshot(message));
  }

  private keep(): void {
    const { source, origin } = this;
    if (source && origin)
      keepDraft(source.key, { address: source.address, tree: this.plain.store(), origin, at: this.at });
  }

  /** Merges changes that other tabs made while this one was opening: those stored, and those they still hold. */
  private catchUp(key: string, opened: Draft | null): void {
    const draft = draftOf(key);
    if (draft && JSON.stringify(draft.tree) !== JSON.stringify(opened?.tree))
      this.takeIn(TurnTree.stored(draft.tree, '').changes());
    this.send({ key });
  }

  /** Handles a message from another tab with the same analysis. */
  private receive({ key, changes }: Message): void {
    if (key !== this.source?.key) return;
    if (changes) this.takeIn(changes);
    else if (this.isChanged) this.send({ key, changes: this.plain.changes() });
  }
}
