/**
 * A tree of turns: what an analysis is made of. It knows neither screens nor rules nor notation.
 *
 * Every change sets fields of one node and has a stamp; for each field the latest stamp wins. So the changes of two editors lead
 * to the same tree in whatever order they arrive. Nodes are never removed, only hidden, and ids are never used twice.
 */

import type { Mark } from '../board/types';
import type { Schemas } from '../net/types';

export type NodeId = string;
/** The place before the first turn. */
export const ROOT: NodeId = '';

/** What people may change. */
export interface Said {
  comment: string;
  glyphs: readonly number[];
  marks: readonly Mark[];
  /** Where it is among its siblings: the lowest continues the line. */
  rank: number;
  isHidden: boolean;
}

/** What a node is from the beginning. */
export interface Made {
  parent: NodeId;
  actions: readonly string[];
  /** What a record says besides, kept for writing it again. */
  rest?: Omit<TreeData['nodes'][number], 'id' | 'parent' | 'actions' | 'comment' | 'glyphs' | 'marks'>;
}

export interface TurnNode extends Said, Made {
  id: NodeId;
}

export interface Change {
  id: NodeId;
  /** Of a node that others may not know yet. */
  made?: Made;
  set: Partial<Said>;
  time: number;
  by: string;
}

/** The tree as the server reads and writes it. */
export type TreeData = Schemas['Tree'];

/** The tree as a browser keeps it, with what was hidden and who wrote what when. */
export interface StoredTree {
  head: TreeData['head'];
  time: number;
  nodes: TurnNode[];
  stamps: [string, number, string][];
}

interface Edit {
  id: NodeId;
  before: Partial<Said>;
  after: Partial<Said>;
}
interface Step {
  edits: Edit[];
  /** Edits of the same kind right after each other are undone together. */
  kind: string;
}

const FIELDS = ['comment', 'glyphs', 'marks', 'rank', 'isHidden'] as const;
const MOST_STEPS = 200;
/** What a record may hold. */
export const MOST_MARKS = 64;
export const MOST_NESTED = 32;
const NOTHING_SAID: Said = { comment: '', glyphs: [], marks: [], rank: 0, isHidden: false };

const isSameMark = (a: Mark, b: Mark): boolean => a.target === b.target && a.source === b.source;

/** A change that no record could hold. The tree is as before. */
export class TreeFull extends Error {
  constructor(readonly bound: 'marks' | 'nesting') {
    super(`too many ${bound}`);
    this.name = 'TreeFull';
  }
}

/** Marks as a record has them, one for each cell or arrow: the last one. */
function drawn(marks: Partial<Mark>[] = []): Mark[] {
  const all = marks.map(({ target = '', source = null, colour = 'green' }): Mark => ({ target, source, colour }));
  return all.filter((mark, i) => !all.slice(i + 1).some((later) => isSameMark(mark, later)));
}

/** Without fields that say nothing: the server adds them again. */
function brief<T extends object>(fields: T): T {
  const isSaid = (value: unknown) => value !== '' && !(Array.isArray(value) && !value.length);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isSaid(value))) as T;
}

export class TurnTree {
  head: TreeData['head'] = {};
  /** Called with every change made here, for other editors and for keeping it. */
  onchange: ((changes: Change[]) => void) | undefined;
  private readonly nodes = new Map<NodeId, TurnNode>();
  private readonly stamps = new Map<string, [number, string]>();
  private readonly kids = new Map<NodeId, NodeId[]>();
  private done: Step[] = [];
  private undone: Step[] = [];
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

  /** For the server: what is visible, parents first and siblings in order. */
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

  /** A node; the start if there is no such node. */
  node(id: NodeId): TurnNode {
    return this.nodes.get(id) ?? (this.nodes.get(ROOT) as TurnNode);
  }

  /** Whether a node can be reached. */
  has(id: NodeId): boolean {
    for (let node = this.nodes.get(id); node; node = this.nodes.get(node.parent)) {
      if (node.id === ROOT) return true;
      if (node.isHidden) return false;
    }
    return false;
  }

  /** What was played from here, the continuation of the line first. */
  children(id: NodeId): NodeId[] {
    return (this.kids.get(id) ?? [])
      .map((kid) => this.node(kid))
      .filter((node) => !node.isHidden)
      .sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1))
      .map((node) => node.id);
  }

  /** From the first turn to a node. */
  path(id: NodeId): NodeId[] {
    const path: NodeId[] = [];
    for (let node = this.node(id); node.id !== ROOT; node = this.node(node.parent)) path.unshift(node.id);
    return path;
  }

  /** A node and what continues its line. */
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

  /** How many variations are around a node. */
  private nesting(id: NodeId): number {
    return this.path(id).filter((one) => this.children(this.node(one).parent)[0] !== one).length;
  }

  /** How many variations are nested below a node. */
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

  /** Plays a turn after a node; a turn that is there already is not played twice. */
  add(parent: NodeId, actions: readonly string[], rest?: Made['rest']): NodeId {
    return this.addLine(parent, [{ actions, rest }]).at(-1) ?? parent;
  }

  /** Plays several turns, as one step. Throws `TreeFull` where variations are nested too deeply. */
  addLine(parent: NodeId, turns: readonly Pick<Made, 'actions' | 'rest'>[]): NodeId[] {
    const line: NodeId[] = [];
    const edits: Edit[] = [];
    for (const { actions, rest } of turns) {
      const text = actions.join(' ');
      let next = this.children(parent).find((kid) => this.node(kid).actions.join(' ') === text);
      if (next === undefined) {
        const ranks = this.children(parent).map((kid) => this.node(kid).rank);
        // Only the first new turn can begin a variation, and nothing is added before it.
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

  /** Sets one glyph, or takes it away. */
  glyph(id: NodeId, glyph: number): void {
    if (id === ROOT) return;
    const { glyphs } = this.node(id);
    const others = glyphs.filter((one) => one < 1 || one > 6);
    this.say('glyph', id, { glyphs: glyphs.includes(glyph) ? others : [glyph, ...others] });
  }

  /** Draws a mark; the same again takes it away, another colour replaces it. Throws `TreeFull` after the last that a node can have. */
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

  /** Makes the nearest variation on the way here the continuation of its line. Throws `TreeFull` if that nests the line too deeply. */
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

  /** Takes away a turn and everything after it. */
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

  /** Makes the tree what another one is, as one step: for discarding changes. */
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
      if (known !== undefined) {
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
    return this.done.length > 0;
  }
  get canRedo(): boolean {
    return this.undone.length > 0;
  }

  /** Takes back the last step; returns the node that it was about. */
  undo(): NodeId | null {
    const step = this.done.pop();
    if (!step) return null;
    this.undone.push(step);
    this.write(step.edits.map(({ id, before }) => [id, before]));
    return this.shownAfter(step);
  }

  redo(): NodeId | null {
    const step = this.undone.pop();
    if (!step) return null;
    this.done.push(step);
    this.write(step.edits.map(({ id, after }) => [id, after]));
    return this.shownAfter(step);
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
          if (by !== this.by && JSON.stringify(node[field]) !== JSON.stringify(set[field])) this.forget(id, field);
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
    if (!this.done.length && !this.undone.length) return;
    const path = new Set(this.path(id));
    const visible = (edit: Edit, side: 'before' | 'after'): boolean => !(path.has(edit.id) && edit[side].isHidden);
    const kept = (steps: Step[], side: 'before' | 'after'): Step[] =>
      steps
        .map((step) => ({ ...step, edits: step.edits.filter((edit) => visible(edit, side)) }))
        .filter(({ edits }) => edits.length);
    this.done = kept(this.done, 'before');
    this.undone = kept(this.undone, 'after');
  }

  /** Leaves a field out of all steps: undoing them must not overwrite what another editor did later. */
  private forget(id: NodeId, field: keyof Said): void {
    const without = ({ [field]: _, ...rest }: Partial<Said>): Partial<Said> => rest;
    const kept = ({ edits, kind }: Step): Step => ({
      kind,
      edits: edits
        .map((edit) => (edit.id === id ? { id, before: without(edit.before), after: without(edit.after) } : edit))
        .filter(({ after }) => Object.keys(after).length),
    });
    const isLeft = ({ edits }: Step): boolean => edits.length > 0;
    this.done = this.done.map(kept).filter(isLeft);
    this.undone = this.undone.map(kept).filter(isLeft);
  }

  /** All that was ever changed, for an editor that missed some of it. */
  changes(): Change[] {
    return [...this.stamps].flatMap(([key, [time, by]]): Change[] => {
      const end = key.lastIndexOf(' ');
      const [id, field] = [key.slice(0, end), key.slice(end + 1) as keyof Said];
      const { parent, actions, rest, ...node } = this.node(id);
      if (node.id !== id) return [];
      return [{ id, made: { parent, actions, ...(rest ? { rest } : {}) }, set: { [field]: node[field] }, time, by }];
    });
  }

  /** The last node of a step that can be seen, else the nearest one before it. */
  private shownAfter({ edits }: Step): NodeId {
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
    const last = this.done.at(-1);
    const [only] = edits;
    if (kind.startsWith('comment') && last?.kind === kind && only && !this.undone.length)
      last.edits = last.edits.map((edit) => ({ ...edit, after: only.after }));
    else this.done = [...this.done.slice(1 - MOST_STEPS), { edits, kind }];
    this.undone = [];
    this.write(edits.map(({ id, after }) => [id, after]));
  }

  private write(sets: [NodeId, Partial<Said>][]): void {
    this.time++;
    const changes = sets.map(([id, set]): Change => {
      const { parent, actions, rest, ...node } = this.node(id);
      // Whoever does not know the node yet needs all of it.
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

/** The fields of a node that something else has. */
function pick(node: Said, like: Partial<Said>): Partial<Said> {
  return Object.fromEntries(
    FIELDS.filter((field) => field in like).map((field) => [field, node[field]]),
  ) as Partial<Said>;
}
