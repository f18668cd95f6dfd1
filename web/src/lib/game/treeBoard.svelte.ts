/** A tree of turns on a board: the shown node, changes of the tree, and the server's data about positions. */

import type { GamePage } from '../../games/index.svelte';
import type { Mark } from '../board/types';
import { t } from '../i18n/index.svelte';
import { api, Refused } from '../net/client';
import type {
  AnalysisLine,
  BoardView,
  GameName,
  NodeView,
  ReadTree,
  Rules,
  SeatView,
  TryResult,
  Turn,
  View,
} from '../net/types';
import { unseated } from './seats';
import { MOST_MARKS, MOST_NESTED, ROOT, TreeFull, TurnTree, type Change, type NodeId, type TreeData } from './tree';

/** A position of the tree and the turn that led to it. */
export type Place = Omit<NodeView, 'id'>;

export function asRefused(error: unknown, code = 'unknown'): Refused {
  if (error instanceof Refused) return error;
  if (!(error instanceof TreeFull)) return new Refused(code, String(error), 0);
  const count = error.bound === 'marks' ? MOST_MARKS : MOST_NESTED;
  return new Refused('tree-full', t(`tree.full.${error.bound}`, { count }), 0);
}

/** A random name for an editor. */
export const editorName = () => Math.random().toString(36).slice(2, 10);

export class TreeBoard {
  game = $state<GameName>('');
  rules = $state.raw<Rules>({});
  board = $state.raw<BoardView | null>(null);
  seats = $state.raw<SeatView[]>([]);
  at = $state<NodeId>(ROOT);
  /** The legal actions in this position, and more; null until the server has answered. */
  facts = $state.raw<TryResult | null>(null);
  problem = $state.raw<Refused | null>(null);
  /** The place that was looked at when somebody else deleted its line, until another one is looked at. */
  lost = $state<NodeId | null>(null);
  /** Called when another node is shown, and when its facts are known. */
  onlook: (() => void) | undefined;

  /** Called with the changes made here. */
  onedit: ((changes: Change[]) => void) | undefined;

  protected plain = new TurnTree(editorName());
  /** Rises with every change, because the tree itself has no signals. */
  protected version = $state(0);
  private places = new Map<NodeId, Place>();
  private readonly known = new Map<string, TryResult>();
  /** For each node, the continuation that was shown last. */
  private readonly taken = new Map<NodeId, NodeId>();
  private rereading: ReturnType<typeof setTimeout> | undefined;

  /** Shows a tree with the positions that the server sent for it. */
  show(read: ReadTree, tree: TurnTree, page: GamePage): void {
    clearTimeout(this.rereading);
    this.plain = tree;
    this.game = read.game;
    this.rules = read.rules;
    this.board = read.board ? (page.taught?.(read.board) ?? read.board) : null;
    this.seats = unseated(read.seats.length, read.seats);
    this.at = ROOT;
    this.lost = null;
    this.taken.clear();
    this.places = new Map();
    this.problem = null;
    this.settle(read);
    tree.onchange = (changes) => this.changed(changes);
  }

  close(): void {
    clearTimeout(this.rereading);
  }

  /** The tree, inside a new object after every change, so that readers are updated. */
  readonly tree = $derived.by(() => {
    void this.version;
    return { now: this.plain };
  });
  readonly node = $derived(this.tree.now.node(this.at));
  readonly place = $derived(this.placeOf(this.at));
  readonly view = $derived<View | null>(this.place?.view ?? null);
  /** The turns that led here. */
  readonly played = $derived.by<Turn[]>(() =>
    this.tree.now.path(this.at).flatMap((id) => {
      const place = this.placeOf(id);
      return place ? [{ ...place, actions: [...this.tree.now.node(id).actions] }] : [];
    }),
  );
  readonly canUndo = $derived(this.tree.now.canUndo);
  readonly canRedo = $derived(this.tree.now.canRedo);
  readonly next = $derived(this.continuation(this.at));
  readonly isLast = $derived(this.next === undefined);

  placeOf(id: NodeId): Place | undefined {
    void this.version;
    return this.places.get(id);
  }

  /** The node after a node, on the line that was shown last. */
  private continuation(id: NodeId): NodeId | undefined {
    const children = this.tree.now.children(id);
    const taken = this.taken.get(id);
    return taken !== undefined && children.includes(taken) ? taken : children[0];
  }

  look(id: NodeId): void {
    if (!this.places.has(id)) return;
    const tree = this.plain;
    for (const one of tree.path(id)) this.taken.set(tree.node(one).parent, one);
    this.at = id;
    this.lost = null;
    this.version++;
    void this.inquire();
  }

  /** Goes one turn back or forward, along the line that was shown last. */
  step(by: 1 | -1): void {
    if (by < 0) this.look(this.node.parent);
    else if (this.next !== undefined) this.look(this.next);
  }

  /** Goes to the end of the line. */
  last(): void {
    let id = this.at;
    for (let next = this.next; next !== undefined; next = this.continuation(id)) id = next;
    this.look(id);
  }

  /** Goes to the next or the previous alternative of this turn. */
  beside(by: 1 | -1): void {
    const siblings = this.plain.children(this.node.parent);
    const other = siblings[siblings.indexOf(this.at) + by];
    if (this.at !== ROOT && other !== undefined) this.look(other);
  }

  /** Adds a turn that the server has tried. */
  play(actions: string[], result: TryResult): void {
    const { place } = this;
    if (!place) return;
    const id = this.bounded(() => this.plain.add(this.at, actions));
    if (id === undefined) return;
    const number = place.view.at_turn_start ? place.number + 1 : place.number;
    const events = result.effects.flat();
    const seat = place.view.to_move ?? 0;
    this.places.set(id, { kind: 'turn', number, seat, events, view: result.view, position: result.position });
    this.look(id);
  }

  /** Adds a turn of the engine with the expected replies. */
  async insert(line: AnalysisLine): Promise<void> {
    await this.guarded(async () => {
      const { place, at, plain } = this;
      if (!place) return;
      const found = await api.tryPosition(place.position, [line.turn, ...(line.replies ?? [])].flat());
      if (plain !== this.plain) return;
      const turns = (found.turns ?? []).filter((turn) => turn.view?.at_turn_start || turn.view?.outcome);
      const evaluation = { shares: line.shares, depth: null, nodes: null };
      const ids = this.plain.addLine(
        at,
        turns.map(({ actions }, i) => (i ? { actions } : { actions, rest: { before: '', evaluation } })),
      );
      ids.forEach((id, i) => {
        const turn = turns[i];
        if (!turn?.view || turn.position === undefined) return;
        const { seat, events, view, position } = turn;
        this.places.set(id, { kind: 'turn', number: place.number + i + 1, seat, events, view, position });
      });
      const [first] = ids;
      if (first !== undefined) this.look(first);
    });
  }

  /** The seat whose threat can be shown: the one that moved last, else the one after the seat to move. */
  readonly threatening = $derived.by<number | null>(() => {
    const seats = Object.keys(this.facts?.null_turns ?? {}).map(Number);
    const { place } = this;
    if (!place || !seats.length) return null;
    if (this.at !== ROOT && place.kind === 'turn' && seats.includes(place.seat)) return place.seat;
    const now = place.view.to_move ?? 0;
    return seats.find((seat) => seat > now) ?? seats[0] ?? null;
  });

  /** Adds a null turn: nothing is played, and `threatening` is to move. */
  async threaten(): Promise<boolean> {
    return this.guarded(async () => {
      const { place, at, plain, threatening } = this;
      const text = threatening === null ? undefined : this.facts?.null_turns?.[String(threatening)];
      if (!place || text === undefined) return;
      const head = { ...this.plain.head, start: place.position, ending: null };
      const only = { id: 'null', parent: ROOT, actions: [text], comment: '', before: '' };
      const read = await api.tree({ tree: { head, nodes: [only] } });
      const [found] = read.nodes;
      if (!found || plain !== this.plain) return;
      const id = this.plain.add(at, [text]);
      this.places.set(id, { ...found, number: place.number + 1 });
      this.look(id);
    });
  }

  comment(text: string): void {
    this.plain.comment(this.at, text);
  }
  glyph(glyph: number): void {
    this.plain.glyph(this.at, glyph);
  }
  /** Draws or erases a mark; returns whether that was possible. */
  mark(mark: Mark): boolean {
    this.bounded(() => this.plain.mark(this.at, mark));
    return this.problem === null;
  }
  clearMarks(): void {
    this.plain.clearMarks(this.at);
  }
  promote(): void {
    this.bounded(() => this.plain.promote(this.at));
  }
  remove(): void {
    const { parent } = this.node;
    this.plain.remove(this.at);
    this.look(parent);
  }

  undo(): void {
    this.follow(this.plain.undo());
  }
  redo(): void {
    this.follow(this.plain.redo());
  }

  /** Brings back the line that somebody else deleted. */
  restore(): void {
    const { lost } = this;
    if (lost === null) return;
    this.plain.restore(lost);
    this.look(lost);
  }

  /** Merges the changes of others. Returns whether the tree changed. */
  takeIn(changes: readonly Change[]): boolean {
    if (!this.plain.apply(changes)) return false;
    this.version++;
    const { at } = this;
    if (this.lost !== null && this.plain.has(this.lost)) this.lost = null;
    if (!this.plain.has(at)) {
      this.follow(at);
      this.lost = at;
    }
    this.complete();
    return true;
  }

  /** Requests the positions that are not known yet. */
  complete(): void {
    const { plain } = this;
    if (!this.unknown().length) return;
    clearTimeout(this.rereading);
    this.rereading = setTimeout(
      () =>
        void this.guarded(async () => {
          const read = await api.tree({ tree: { head: { ...plain.head, ending: null }, nodes: this.unknown() } });
          if (plain === this.plain) this.settle(read);
        }),
      100,
    );
  }

  /** Repeats requests that failed. */
  retry(): void {
    this.complete();
    if (!this.facts) void this.inquire();
  }

  /** The nodes whose positions are not known, and the nodes before them. */
  private unknown(): TreeData['nodes'] {
    const { nodes } = this.plain.data();
    const needed = new Set(nodes.flatMap(({ id }) => (this.places.has(id) ? [] : this.plain.path(id))));
    return nodes
      .filter(({ id }) => needed.has(id))
      .map(({ id, parent, actions }) => ({ id, parent, actions, comment: '', before: '' }));
  }

  protected changed(changes: Change[]): void {
    this.version++;
    this.onedit?.(changes);
  }

  /** The tree as the server reads it. */
  data(): TreeData {
    return this.plain.data();
  }

  /** The tree as a `.terra` text. */
  async text(): Promise<string> {
    return (await api.tree({ tree: this.data(), views: false })).text;
  }

  /** Goes to a node or, if it is hidden, to the nearest visible node before it. */
  protected follow(id: NodeId | null): void {
    if (id === null) return;
    while (id !== ROOT && !this.plain.has(id)) id = this.plain.node(id).parent;
    this.look(id);
  }

  private async guarded(work: () => Promise<void>): Promise<boolean> {
    const { plain } = this;
    this.problem = null;
    try {
      await work();
      return plain === this.plain;
    } catch (error) {
      if (plain === this.plain) this.problem = asRefused(error);
      return false;
    }
  }

  /** Makes a change. Shows an error if it would exceed the limits of a record. */
  private bounded<T>(work: () => T): T | undefined {
    this.problem = null;
    try {
      return work();
    } catch (error) {
      this.problem = asRefused(error);
      return undefined;
    }
  }

  protected settle(read: ReadTree): void {
    const start: Place = {
      kind: 'turn',
      number: read.start_view.at_turn_start ? 0 : 1,
      seat: read.start_view.to_move ?? 0,
      events: [],
      view: read.start_view,
      position: read.start,
    };
    // Keep the places of hidden nodes, because undoing shows them again.
    this.places = new Map([
      ...this.places,
      [ROOT, start],
      ...read.nodes.map((node): [NodeId, Place] => [node.id, node]),
    ]);
    this.version++;
  }

  /** Requests the legal actions of the shown position. */
  private async inquire(): Promise<void> {
    const { place, at, plain } = this;
    if (!place) return;
    this.facts = this.known.get(place.position) ?? null;
    this.onlook?.();
    if (this.facts) return;
    await this.guarded(async () => {
      const found = await api.tryPosition(place.position, []);
      this.known.set(place.position, found);
      if (this.at !== at || plain !== this.plain || this.facts) return;
      this.facts = found;
      this.onlook?.();
    });
  }
}
