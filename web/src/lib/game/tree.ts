/**
 * A tree of turns, as in an analysis. It contains no code for screens, rules or notation.
 *
 * Every change sets fields of one node and has a stamp. For each field the latest stamp wins, so the changes of two editors lead
 * to the same tree in any order. Nodes are never removed, only hidden, and ids are never used twice.
 */

import type { Mark } from '../board/types';
import type { Schemas } from '../net/types';
import { UndoSteps, type Edit } from './undo';

export type NodeId = string;
/** The node before the first turn. */
export const ROOT: NodeId = '';

/** The fields of a node that people may change. */
export interface Said {
  comment: string;
  glyphs: readonly number[];
  marks: readonly Mark[];
  /** The order among siblings: the lowest rank continues the line. */
  rank: number;
  isHidden: boolean;
}

/** The fields of a node that never change. */
export interface Made {
  parent: NodeId;
  actions: readonly string[];
  /** Further data from the record, kept for writing it again. */
  rest?: Omit<TreeData['nodes'][number], 'id' | 'parent' | 'actions' | 'comment' | 'glyphs' | 'marks'>;
}

export interface TurnNode extends Said, Made {
  id: NodeId;
}

export interface Change {
  id: NodeId;
  /** Present if others may not know the node yet. */
  made?: Made;
  set: Partial<Said>;
  time: number;
  by: string;
}

/** The tree as the server reads and writes it. */
export type TreeData = Schemas['Tree'];

/** The tree as a browser stores it, with hidden nodes and the stamps of all fields. */
export interface StoredTree {
  head: TreeData['head'];
  time: number;
  nodes: TurnNode[];
  stamps: [string, number, string][];
}

const FIELDS = ['comment', 'glyphs', 'marks', 'rank', 'isHidden'] as const;
/** The limits of a record. */
export const MOST_MARKS = 64;
export const MOST_NESTED = 32;
const NOTHING_SAID: Said = { comment: '', glyphs: [], marks: [], rank: 0, isHidden: false };

const isSameMark = (a: Mark, b: Mark): boolean => a.target === b.target && a.source === b.source;

/** A change that would exceed the limits of a record. The tree is unchanged. */
export class TreeFull extends Error {
  constructor(readonly bound: 'marks' | 'nesting') {
    super(`too many ${bound}`);
    this.name = 'TreeFull';
  }
}

/** Marks of a record, at most one for each cell or arrow: the last one. */
function drawn(marks: Partial<Mark>[] = []): Mark[] {
  const all = marks.map(({ target = '', source = null, colour = 'green' }): Mark => ({ target, source, colour }));
  return all.filter((mark, i) => !all.slice(i + 1).some((later) => isSameMark(mark, later)));
}

/** Removes empty fields; the server adds them again. */
function brief<T extends object>(fields: T): T {
  const isSaid = (value: unknown) => value !== '' && !(Array.isArray(value) && !value.length);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isSaid(value))) as T;
}

export class TurnTree {
  head: TreeData['head'] = {};
  /** Called with every change made here, to send and store it. */
  onchange: ((changes: Change[]) => void) | undefined;
  private readonly nodes = new Map<NodeId, TurnNode>();
  private readonly stamps = new Map<string, [number, string]>();
  private readonly kids = new Map<NodeId, NodeId[]>();
  private readonly steps = new UndoSteps();
  private time = 0;
  private made = 0;

  /** `by` names the editor; no two editors of a tree have the same name. */
  constructor(readonly by: string) {
    this.nodes.set(ROOT, { id: ROOT, parent: ROOT, actions: [], ...NOTHING_SAID });
  }

  static from(data: TreeData, by: string): TurnTree {
    const tree = new TurnTree(by);
    const { comment, marks, ...head } = data.head;
    tree.head = head;
    tree.put({
      id: ROOT,
      parent: ROOT,
      actions: [],
      ...NOTHING_SAID,
      comment: String(comment ?? ''),
      marks: drawn((marks ?? []) as Mark[]),
    });
    for (const { id, parent, actions, comment = '', glyphs = [], marks, ...rest } of data.nodes) {
      const rank = tree.kids.get(parent)?.length ?? 0;
      const said = { comment, glyphs, marks: drawn(marks as Partial<Mark>[] | undefined) };
      tree.put({ id, parent, actions, ...said, rank, isHidden: false, rest });
    }
    return tree;
  }

  static stored(kept: StoredTree, by: string): TurnTree {
    const tree = new TurnTree(by);
    tree.head = kept.head;
    tree.time = kept.time;
    for (const node of kept.nodes) tree.put(node);
    for (const [key, time, author] of kept.stamps) tree.stamps.set(key, [time, author]);
    return tree;
  }

  /** The visible nodes for the server, parents first and siblings in order. */
  data(): TreeData {
    const nodes: TreeData['nodes'] = [];
    const waiting = this.children(ROOT).toReversed();
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const { parent, actions, comment, glyphs, marks, rest } = this.node(id);
      const said = brief({ before: '', ...rest, comment, glyphs: [...glyphs], marks: [...marks] });
      nodes.push({ ...said, id, parent, actions: [...actions] });
      waiting.push(...this.children(id).toReversed());
    }
    const { comment, marks } = this.node(ROOT);
    return { head: { ...this.head, ...brief({ comment, marks }) }, nodes };
  }

  store(): StoredTree {
    const stamps = [...this.stamps].map(([key, [time, by]]): [string, number, string] => [key, time, by]);
    return { head: this.head, time: this.time, nodes: [...this.nodes.values()], stamps };
  }

  /** A node; the root if there is no such node. */
  node(id: NodeId): TurnNode {
    return this.nodes.get(id) ?? (this.nodes.get(ROOT) as TurnNode);
  }

  /** Whether a node exists and is not hidden, nor any node before it. */
  has(id: NodeId): boolean {
    for (let node = this.nodes.get(id); node; node = this.nodes.get(node.parent)) {
      if (node.id === ROOT) return true;
      if (node.isHidden) return false;
    }
    return false;
  }

  /** The visible turns after a node; the first continues the line. */
  children(id: NodeId): NodeId[] {
    return (this.kids.get(id) ?? [])
      .map((kid) => this.node(kid))
      .filter((node) => !node.isHidden)
      .sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1))
      .map((node) => node.id);
  }

  /** The nodes from the first turn to a node. */
  path(id: NodeId): NodeId[] {
    const path: NodeId[] = [];
    for (let node = this.node(id); node.id !== ROOT; node = this.node(node.parent)) path.unshift(node.id);
    return path;
  }

  /** A node and the nodes that continue its line. */
  line(id: NodeId): NodeId[] {
    const line: NodeId[] = [];
    for (let next: NodeId | undefined = id; next !== undefined; next = this.children(next)[0])
      if (next !== ROOT) line.push(next);
    return line;
  }

  isMain(id: NodeId): boolean {
    return this.path(id).every((one) => this.children(this.node(one).parent)[0] === one);
  }

  /** Whether a node, or one before it, is a variation. */
  canPromote(id: NodeId): boolean {
    return !this.isMain(id);
  }

  /** How many variations a node is nested in. */
  private nesting(id: NodeId): number {
    return this.path(id).filter((one) => this.children(this.node(one).parent)[0] !== one).length;
  }

  /** How deeply variations are nested below a node. */
  private depth(id: NodeId): number {
    let deepest = 0;
    const waiting: [NodeId, number][] = [[id, 0]];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [node, nested] = next;
      deepest = Math.max(deepest, nested);
      this.children(node).forEach((kid, i) => waiting.push([kid, nested + (i ? 1 : 0)]));
    }
    return deepest;
  }

  /** Adds a turn after a node, unless it is there already; returns its node. */
  add(parent: NodeId, actions: readonly string[], rest?: Made['rest']): NodeId {
    return this.addLine(parent, [{ actions, rest }]).at(-1) ?? parent;
  }

  /** Adds several turns, as one step of undo. Throws `TreeFull` if variations are nested too deeply. */
  addLine(parent: NodeId, turns: readonly Pick<Made, 'actions' | 'rest'>[]): NodeId[] {
    const line: NodeId[] = [];
    const edits: Edit[] = [];
    for (const { actions, rest } of turns) {
      const text = actions.join(' ');
      let next = this.children(parent).find((kid) => this.node(kid).actions.join(' ') === text);
      if (next === undefined) {
        const ranks = this.children(parent).map((kid) => this.node(kid).rank);
        // Only the first new turn can begin a variation, so nothing was added yet when this throws.
        if (ranks.length && this.nesting(parent) >= MOST_NESTED) throw new TreeFull('nesting');
        next = `${this.by}-${(++this.made).toString(36)}`;
        const rank = ranks.length ? Math.max(...ranks) + 1 : 0;
        this.put({ id: next, parent, actions, ...NOTHING_SAID, rank, isHidden: true, ...(rest ? { rest } : {}) });
        edits.push({ id: next, before: { isHidden: true }, after: { isHidden: false } });
      }
      line.push(next);
      parent = next;
    }
    this.edit('add', edits);
    return line;
  }

  comment(id: NodeId, comment: string): void {
    this.say(`comment ${id}`, id, { comment });
  }

  /** Sets a glyph, or removes it if it is set. */
  glyph(id: NodeId, glyph: number): void {
    if (id === ROOT) return;
    const { glyphs } = this.node(id);
    const others = glyphs.filter((one) => one < 1 || one > 6);
    this.say('glyph', id, { glyphs: glyphs.includes(glyph) ? others : [glyph, ...others] });
  }

  /** Draws a mark. The same mark again removes it, another colour replaces it. Throws `TreeFull` if the node has too many. */
  mark(id: NodeId, mark: Mark): void {
    const { marks } = this.node(id);
    const old = marks.find((one) => isSameMark(one, mark));
    const others = marks.filter((one) => one !== old);
    if (!old && marks.length >= MOST_MARKS) throw new TreeFull('marks');
    this.say('mark', id, { marks: old?.colour === mark.colour ? others : [...others, mark] });
  }

  clearMarks(id: NodeId): void {
    if (this.node(id).marks.length) this.say('clear', id, { marks: [] });
  }

  /** Makes the innermost variation that contains a node the continuation of its line. Throws `TreeFull` if that nests the line too deeply. */
  promote(id: NodeId): void {
    const branch = this.path(id)
      .reverse()
      .find((one) => this.children(this.node(one).parent)[0] !== one);
    if (branch === undefined) return;
    const [first] = this.children(this.node(branch).parent);
    if (first === undefined) return;
    if (this.nesting(first) + 1 + this.depth(first) > MOST_NESTED) throw new TreeFull('nesting');
    this.say('promote', branch, { rank: this.node(first).rank - 1 });
  }

  /** Removes a turn and everything after it. */
  remove(id: NodeId): void {
    if (id !== ROOT) this.say('remove', id, { isHidden: true });
  }

  /** Shows a node again that somebody took away, and those before it. */
  restore(id: NodeId): void {
    const hidden = this.path(id).filter((one) => this.node(one).isHidden);
    this.edit(
      'restore',
      hidden.map((one) => ({ id: one, before: { isHidden: true }, after: { isHidden: false } })),
    );
  }

  /** Makes the tree equal to another one, as one step of undo. */
  become(other: StoredTree): void {
    const wanted = new Map(other.nodes.map((node) => [node.id, node]));
    const edits = [...this.nodes.values()].flatMap((node): Edit[] => {
      const goal = wanted.get(node.id) ?? { ...node, isHidden: true };
      const after = Object.fromEntries(
        FIELDS.filter((field) => JSON.stringify(node[field]) !== JSON.stringify(goal[field])).map((field) => [
          field,
          goal[field],
        ]),
      ) as Partial<Said>;
      return Object.keys(after).length ? [{ id: node.id, before: pick(node, after), after }] : [];
    });
    this.edit('become', edits);
  }

  /**
   * Adds the turns of a game that were played since `origin` was read, to both trees and outside of undo: they continue the main
   * line. What somebody did to the turns before stays. Returns how many there are.
   */
  grow(origin: TurnTree, latest: TreeData): number {
    const game = TurnTree.from(latest, '');
    this.head = origin.head = game.head;
    let parent = ROOT;
    let count = 0;
    for (const one of game.line(ROOT)) {
      const { actions, rest, comment, glyphs, marks } = game.node(one);
      const known = origin.played(parent, actions);
      // A turn may be taken back, played differently, taken back again and played after all.
      if (known !== undefined && origin.children(parent)[0] === known) {
        parent = known;
        continue;
      }
      const tried = this.played(parent, actions);
      const others = this.children(parent).filter((kid) => kid !== tried);
      const rank = Math.min(1, ...others.map((kid) => this.node(kid).rank)) - 1;
      const next = tried ?? this.unused(one);
      const said = { comment, glyphs, marks };
      const made = { parent, actions, ...(rest ? { rest } : {}) };
      const set = { ...(tried === undefined ? said : {}), rank, isHidden: false };
      this.apply([{ id: next, made, set, time: this.time + 1, by: this.by }]);
      origin.put({ id: next, ...made, ...said, rank, isHidden: false });
      parent = next;
      count++;
    }
    return count;
  }

  /** The node after another one in which this was played, even if it is hidden. */
  private played(parent: NodeId, actions: readonly string[]): NodeId | undefined {
    const text = actions.join(' ');
    const found = (this.kids.get(parent) ?? []).filter((kid) => this.node(kid).actions.join(' ') === text);
    return found.find((kid) => !this.node(kid).isHidden) ?? found[0];
  }

  /** An id that no node has: this one, or one like it. */
  private unused(id: NodeId): NodeId {
    let free = id;
    for (let i = 2; this.nodes.has(free); i++) free = `${id}-${i}`;
    return free;
  }

  get canUndo(): boolean {
    return this.steps.canUndo;
  }
  get canRedo(): boolean {
    return this.steps.canRedo;
  }

  /** Undoes the last step; returns the node to show. */
  undo(): NodeId | null {
    return this.replay(this.steps.undo(), 'before');
  }

  redo(): NodeId | null {
    return this.replay(this.steps.redo(), 'after');
  }

  private replay(edits: Edit[] | null, side: 'before' | 'after'): NodeId | null {
    if (!edits) return null;
    this.write(edits.map((edit) => [edit.id, edit[side]]));
    return this.shownAfter(edits);
  }

  /** Merges the changes of another editor. Returns whether anything is different now. */
  apply(changes: readonly Change[]): boolean {
    let isOther = false;
    for (const { id, made, set, time, by } of changes) {
      this.time = Math.max(this.time, time);
      if (!this.nodes.has(id)) {
        if (!made) continue;
        this.put({ id, ...made, ...NOTHING_SAID, isHidden: true });
      }
      for (const field of FIELDS)
        if (field in set && this.wins(id, field, time, by)) {
          const node = this.node(id);
          if (by !== this.by && JSON.stringify(node[field]) !== JSON.stringify(set[field]))
            this.steps.forget(id, field);
          this.nodes.set(id, { ...node, [field]: set[field] });
          isOther = true;
          if (by !== this.by && !(field === 'isHidden' && set.isHidden))
            this.protect(field === 'isHidden' ? this.node(id).parent : id);
        }
    }
    return isOther;
  }

  /** Keeps undo and redo from hiding a node and those before it: another editor has worked there since. */
  private protect(id: NodeId): void {
    if (this.canUndo || this.canRedo) this.steps.protect(new Set(this.path(id)));
  }

  /** All changes ever made, for an editor that missed some of them. */
  changes(): Change[] {
    return [...this.stamps].flatMap(([key, [time, by]]): Change[] => {
      const end = key.lastIndexOf(' ');
      const [id, field] = [key.slice(0, end), key.slice(end + 1) as keyof Said];
      const { parent, actions, rest, ...node } = this.node(id);
      if (node.id !== id) return [];
      return [{ id, made: { parent, actions, ...(rest ? { rest } : {}) }, set: { [field]: node[field] }, time, by }];
    });
  }

  /** The last node of a step or, if it is hidden, the nearest visible node before it. */
  private shownAfter(edits: Edit[]): NodeId {
    let id = edits.at(-1)?.id ?? ROOT;
    while (id !== ROOT && !this.has(id)) id = this.node(id).parent;
    return id;
  }

  private put(node: TurnNode): void {
    const known = this.nodes.has(node.id);
    this.nodes.set(node.id, node);
    if (known) return;
    const kids = this.kids.get(node.parent);
    if (kids) kids.push(node.id);
    else this.kids.set(node.parent, [node.id]);
  }

  private say(kind: string, id: NodeId, after: Partial<Said>): void {
    this.edit(kind, [{ id, before: pick(this.node(id), after), after }]);
  }

  private edit(kind: string, edits: Edit[]): void {
    if (!edits.length) return;
    this.steps.record(kind, edits);
    this.write(edits.map(({ id, after }) => [id, after]));
  }

  private write(sets: [NodeId, Partial<Said>][]): void {
    this.time++;
    const changes = sets.map(([id, set]): Change => {
      const { parent, actions, rest, ...node } = this.node(id);
      // Other editors may not know a node that becomes visible: send all of its fields.
      const whole =
        set.isHidden === false
          ? { made: { parent, actions, ...(rest ? { rest } : {}) }, set: { ...pick(node, NOTHING_SAID), ...set } }
          : { set };
      return { id, ...whole, time: this.time, by: this.by };
    });
    this.apply(changes);
    this.onchange?.(changes);
  }

  private wins(id: NodeId, field: string, time: number, by: string): boolean {
    const key = `${id} ${field}`;
    const [known, author] = this.stamps.get(key) ?? [-1, ''];
    if (time < known || (time === known && by < author)) return false;
    this.stamps.set(key, [time, by]);
    return true;
  }
}

/** The fields of a node that are also in `like`. */
function pick(node: Said, like: Partial<Said>): Partial<Said> {
  return Object.fromEntries(
    FIELDS.filter((field) => field in like).map((field) => [field, node[field]]),
  ) as Partial<Said>;
}
