/** The tree of turns: adding turns and annotations, undoing, and two editors at once. */
import { describe, expect, it } from 'vitest';
import type { Mark } from '../src/lib/board/types';
import {
  MOST_MARKS,
  MOST_NESTED,
  ROOT,
  TreeFull,
  TurnTree,
  type Change,
  type NodeId,
  type TreeData,
} from '../src/lib/game/tree';

const arrow = (source: string, target: string, colour: Mark['colour'] = 'green'): Mark => ({ source, target, colour });

/** The turns after a node, as nested lists of notation. */
type Played = [string, Played][];
const played = (tree: TurnTree, id: NodeId = ROOT): Played =>
  tree.children(id).map((kid) => [tree.node(kid).actions.join(' '), played(tree, kid)]);

function grown(by = 'me'): TurnTree {
  const tree = new TurnTree(by);
  const a = tree.add(ROOT, ['@a1']);
  tree.add(tree.add(a, ['@b1']), ['@c1']);
  return tree;
}
const first = (tree: TurnTree): NodeId => tree.children(ROOT)[0] ?? '';

describe('playing', () => {
  it('adds variations to turns that were played before', () => {
    const tree = grown();
    tree.add(first(tree), ['@d1', 'end']);
    expect(played(tree)).toEqual([
      [
        '@a1',
        [
          ['@b1', [['@c1', []]]],
          ['@d1 end', []],
        ],
      ],
    ]);
    expect(tree.line(ROOT).map((id) => tree.node(id).actions.join())).toEqual(['@a1', '@b1', '@c1']);
  });

  it('does not add the same turn twice', () => {
    const tree = grown();
    const a = first(tree);
    expect(tree.add(ROOT, ['@a1'])).toBe(a);
    expect(tree.children(ROOT)).toHaveLength(1);
  });

  it('inserts a line as one step of undo', () => {
    const tree = grown();
    const line = tree.addLine(first(tree), [{ actions: ['@b1'] }, { actions: ['@x1'] }, { actions: ['@y1'] }]);
    expect(line).toHaveLength(3);
    expect(tree.path(line[2] ?? '').map((id) => tree.node(id).actions.join())).toEqual(['@a1', '@b1', '@x1', '@y1']);
    tree.undo();
    expect(played(tree)).toEqual([['@a1', [['@b1', [['@c1', []]]]]]]);
  });

  it('promotes the innermost variation, and the second time the one around it', () => {
    const tree = grown();
    const a = first(tree);
    const d = tree.add(a, ['@d1']);
    tree.add(d, ['@e1']);
    const f = tree.add(d, ['@f1']);
    expect(tree.isMain(f)).toBe(false);
    tree.promote(f);
    expect(tree.children(d)[0]).toBe(f);
    expect(tree.isMain(f)).toBe(false);
    tree.promote(f);
    expect(tree.isMain(f)).toBe(true);
    expect(tree.canPromote(f)).toBe(false);
    tree.promote(f);
    expect(tree.line(ROOT).at(-1)).toBe(f);
  });

  it('removes a turn and everything after it', () => {
    const tree = grown();
    const a = first(tree);
    const c = tree.line(a)[2] ?? '';
    tree.remove(tree.line(a)[1] ?? '');
    expect(played(tree)).toEqual([['@a1', []]]);
    expect(tree.has(c)).toBe(false);
    expect(tree.has(a)).toBe(true);
    tree.remove(ROOT);
    expect(tree.has(a)).toBe(true);
  });
});

describe('annotations', () => {
  it('set one glyph at a time and keep other glyphs from a record', () => {
    const tree = TurnTree.from(
      { head: {}, nodes: [{ id: '1', parent: '', actions: ['@a1'], glyphs: [14], comment: '', before: '' }] },
      'me',
    );
    tree.glyph('1', 1);
    expect(tree.node('1').glyphs).toEqual([1, 14]);
    tree.glyph('1', 4);
    expect(tree.node('1').glyphs).toEqual([4, 14]);
    tree.glyph('1', 4);
    expect(tree.node('1').glyphs).toEqual([14]);
    tree.glyph(ROOT, 1);
    expect(tree.node(ROOT).glyphs).toEqual([]);
  });

  it('add marks, change their colour, and remove them', () => {
    const tree = new TurnTree('me');
    tree.mark(ROOT, arrow('a1', 'b1'));
    tree.mark(ROOT, { source: null, target: 'b1', colour: 'red' });
    tree.mark(ROOT, arrow('a1', 'b1', 'blue'));
    expect(tree.node(ROOT).marks).toEqual([{ source: null, target: 'b1', colour: 'red' }, arrow('a1', 'b1', 'blue')]);
    tree.mark(ROOT, arrow('a1', 'b1', 'blue'));
    expect(tree.node(ROOT).marks).toHaveLength(1);
    tree.clearMarks(ROOT);
    expect(tree.node(ROOT).marks).toEqual([]);
  });
});

describe('bounds of a record', () => {
  /** A tree whose variations are nested as deeply as possible: each begins beside the second turn of the one around it. */
  function deep(): { tree: TurnTree; last: NodeId } {
    const tree = new TurnTree('me');
    let last = tree.add(ROOT, ['@a0']);
    for (let i = 1; i <= MOST_NESTED; i++) {
      tree.add(last, ['@main']);
      last = tree.add(last, [`@a${i}`]);
    }
    return { tree, last };
  }

  it('allow variations within variations up to a depth, and lines of any length', () => {
    const { tree, last } = deep();
    const end = tree.add(tree.add(last, ['@b1']), ['@c1']);
    expect(tree.path(end)).toHaveLength(MOST_NESTED + 3);
    const before = JSON.stringify(tree.store());
    expect(() => tree.add(last, ['@other'])).toThrow(TreeFull);
    expect(() => tree.addLine(last, [{ actions: ['@b1'] }, { actions: ['@d1'] }])).toThrow(TreeFull);
    expect(JSON.stringify(tree.store())).toBe(before);
    expect(tree.add(last, ['@b1'])).toBe(tree.children(last)[0]);
  });

  it('allow no promotion that would nest the line before it too deeply', () => {
    const { tree } = deep();
    const other = tree.add(ROOT, ['@z1']);
    const before = JSON.stringify(tree.data());
    expect(() => tree.promote(other)).toThrow(TreeFull);
    expect(JSON.stringify(tree.data())).toBe(before);
    const main = first(tree);
    tree.promote(tree.children(main)[1] ?? '');
    tree.promote(other);
    expect(first(tree)).toBe(other);
  });

  it('allow as many marks as a record can hold', () => {
    const tree = new TurnTree('me');
    for (let i = 0; i < MOST_MARKS; i++) tree.mark(ROOT, arrow('a1', `b${i}`));
    expect(() => tree.mark(ROOT, arrow('a1', 'c1'))).toThrow(TreeFull);
    tree.mark(ROOT, arrow('a1', 'b0', 'red'));
    tree.mark(ROOT, arrow('a1', 'b1'));
    tree.mark(ROOT, arrow('a1', 'c1'));
    expect(tree.node(ROOT).marks).toHaveLength(MOST_MARKS);
  });
});

describe('undo and redo', () => {
  it('undo and repeat every kind of change', () => {
    const tree = grown();
    const a = first(tree);
    const b = tree.line(a)[1] ?? '';
    const steps: (() => void)[] = [
      () => tree.glyph(b, 2),
      () => tree.mark(b, arrow('a1', 'b1')),
      () => tree.clearMarks(b),
      () => tree.add(a, ['@z1']),
      () => tree.promote(tree.children(a)[1] ?? ''),
      () => tree.remove(a),
    ];
    const states = [JSON.stringify(tree.data())];
    for (const step of steps) {
      step();
      states.push(JSON.stringify(tree.data()));
    }
    for (const state of states.slice(0, -1).reverse()) {
      tree.undo();
      expect(JSON.stringify(tree.data())).toBe(state);
    }
    for (const state of states.slice(1)) {
      tree.redo();
      expect(JSON.stringify(tree.data())).toBe(state);
    }
    expect(tree.canRedo).toBe(false);
    expect(tree.redo()).toBeNull();
  });

  it('undo a comment as a whole, not letter by letter', () => {
    const tree = grown();
    const a = first(tree);
    for (const text of ['s', 'so', 'so far']) tree.comment(a, text);
    expect(tree.undo()).toBe(a);
    expect(tree.node(a).comment).toBe('');
    tree.redo();
    expect(tree.node(a).comment).toBe('so far');
  });

  it('lead to a visible node', () => {
    const tree = grown();
    const a = first(tree);
    const z = tree.add(a, ['@z1']);
    expect(tree.undo()).toBe(a);
    expect(tree.redo()).toBe(z);
    expect(tree.canUndo).toBe(true);
    expect(new TurnTree('x').undo()).toBeNull();
  });

  it('can’t repeat undone changes after a new change', () => {
    const tree = grown();
    tree.undo();
    tree.add(ROOT, ['@q1']);
    expect(tree.canRedo).toBe(false);
  });

  it('bring back discarded changes', () => {
    const tree = grown();
    const origin = tree.store();
    tree.add(ROOT, ['@q1']);
    tree.comment(first(tree), 'mine');
    const worked = JSON.stringify(tree.data());
    tree.become(origin);
    expect(played(tree)).toEqual([['@a1', [['@b1', [['@c1', []]]]]]]);
    expect(tree.node(first(tree)).comment).toBe('');
    tree.undo();
    expect(JSON.stringify(tree.data())).toBe(worked);
  });
});

describe('the form for the server', () => {
  const DATA: TreeData = {
    head: { game: 'nova', comment: 'before', marks: [arrow('a1', 'b1')], seats: ['x', 'y'] },
    nodes: [
      {
        id: '1',
        parent: '',
        actions: ['@a1'],
        comment: 'hm',
        glyphs: [1],
        marks: [arrow('a1', 'c1', 'red')],
        before: '',
        clock: 5,
      },
      { id: '2', parent: '1', actions: ['@b1'], comment: '', glyphs: [], marks: [], before: '' },
      {
        id: '3',
        parent: '',
        actions: ['@c1'],
        comment: '',
        glyphs: [],
        marks: [],
        before: 'or',
        within: { 0: { comment: 'w' } },
      },
    ],
  };

  it('is unchanged after reading and writing, without empty fields', () => {
    expect(TurnTree.from(DATA, 'me').data()).toEqual({
      head: DATA.head,
      nodes: [
        {
          id: '1',
          parent: '',
          actions: ['@a1'],
          comment: 'hm',
          glyphs: [1],
          marks: [arrow('a1', 'c1', 'red')],
          clock: 5,
        },
        { id: '2', parent: '1', actions: ['@b1'] },
        { id: '3', parent: '', actions: ['@c1'], before: 'or', within: { 0: { comment: 'w' } } },
      ],
    });
    expect(new TurnTree('me').data()).toEqual({ head: {}, nodes: [] });
  });

  it('has one mark for each cell and arrow: the last', () => {
    const marks = [arrow('a1', 'b1'), { target: 'c1' }, arrow('a1', 'b1', 'red'), { target: 'c1', colour: 'blue' }];
    const kept = [arrow('a1', 'b1', 'red'), { target: 'c1', source: null, colour: 'blue' }];
    const node = { id: '1', parent: '', actions: ['@a1'], comment: '', before: '', marks };
    const tree = TurnTree.from({ head: { marks }, nodes: [node] } as TreeData, 'me');
    expect(tree.node('1').marks).toEqual(kept);
    expect(tree.node(ROOT).marks).toEqual(kept);
  });

  it('has parents first and siblings in order after changes', () => {
    const tree = TurnTree.from(DATA, 'me');
    const x = tree.add('3', ['@x1']);
    tree.promote('3');
    expect(tree.data().nodes.map((node) => node.id)).toEqual(['3', x, '1', '2']);
  });

  it('is the same after being stored', () => {
    const tree = TurnTree.from(DATA, 'me');
    tree.remove('2');
    tree.comment('1', 'changed');
    const again = TurnTree.stored(JSON.parse(JSON.stringify(tree.store())), 'me again');
    expect(again.data()).toEqual(tree.data());
    expect(again.add('1', ['@n1'])).toMatch(/^me again-/);
  });
});

describe('two editors', () => {
  /** Two editors of one tree, whose changes wait until they are delivered. */
  function pair(): { a: TurnTree; b: TurnTree; deliver: (order?: 'crossed') => void } {
    const start = grown('start').store();
    const [a, b] = [TurnTree.stored(start, 'a'), TurnTree.stored(start, 'b')];
    const sent: { a: Change[]; b: Change[] } = { a: [], b: [] };
    a.onchange = (changes) => sent.a.push(...changes);
    b.onchange = (changes) => sent.b.push(...changes);
    return {
      a,
      b,
      deliver: (order) => {
        const [fromA, fromB] = [sent.a.splice(0), sent.b.splice(0)];
        b.apply(order ? fromA.reverse() : fromA);
        a.apply(fromB);
      },
    };
  }

  it('both keep turns and annotations of the other at other nodes', () => {
    const { a, b, deliver } = pair();
    const [one, two] = a.line(ROOT);
    a.comment(one ?? '', 'from a');
    b.comment(two ?? '', 'from b');
    a.add(ROOT, ['@x1']);
    b.add(one ?? '', ['@y1']);
    deliver();
    expect(a.data()).toEqual(b.data());
    expect(a.node(one ?? '').comment).toBe('from a');
    expect(a.node(two ?? '').comment).toBe('from b');
    expect(a.data().nodes).toHaveLength(5);
  });

  it('agree on one comment if both wrote one, whichever arrived first', () => {
    const { a, b, deliver } = pair();
    const one = first(a);
    a.comment(one, 'from a');
    a.comment(one, 'from a, later');
    b.comment(one, 'from b');
    deliver('crossed');
    expect(a.node(one).comment).toBe(b.node(one).comment);
    expect(a.node(one).comment).toBe('from a, later');
    b.comment(one, 'the last word');
    deliver();
    expect(a.node(one).comment).toBe('the last word');
  });

  it('see an undo of the other', () => {
    const { a, b, deliver } = pair();
    const one = first(a);
    a.remove(one);
    deliver();
    expect(b.children(ROOT)).toEqual([]);
    a.undo();
    deliver();
    expect(b.data()).toEqual(a.data());
    expect(b.children(ROOT)).toEqual([one]);
  });

  it('do not undo later changes of the other', () => {
    const { a, b, deliver } = pair();
    const [one = '', two = ''] = a.line(ROOT);
    a.glyph(two, 3);
    a.comment(one, 'from a');
    deliver();
    b.comment(one, 'from b');
    deliver();
    a.comment(one, 'from a again');
    expect(a.undo()).toBe(one);
    expect(a.node(one).comment).toBe('from b');
    expect(a.undo()).toBe(two);
    expect(a.node(two).glyphs).toEqual([]);
    expect(a.canUndo).toBe(false);
    expect(a.node(one).comment).toBe('from b');
    deliver();
    b.glyph(two, 1);
    deliver();
    expect(a.redo()).toBe(one);
    expect(a.canRedo).toBe(false);
    expect(a.node(two).glyphs).toEqual([1]);
  });

  it('undo the rest of a step if the other has worked after a node that undo would hide', () => {
    const mine = grown();
    const theirs = TurnTree.stored(mine.store(), 'they');
    const a = first(mine);
    mine.comment(a, 'before');
    const old = mine.store();
    mine.comment(a, 'after');
    mine.remove(a);
    mine.become(old);
    expect(mine.node(a).comment).toBe('before');
    theirs.apply(mine.changes());
    theirs.onchange = (changes) => void mine.apply(changes);
    theirs.add(a, ['@z9']);
    mine.undo();
    expect(mine.node(a).comment).toBe('after');
    expect(mine.has(a)).toBe(true);
    mine.redo();
    expect(mine.node(a).comment).toBe('before');
  });

  it('catch up on everything at once', () => {
    const { a, b } = pair();
    const one = first(a);
    a.comment(one, 'from a');
    a.remove(a.add(one, ['@x1']));
    b.comment(one, 'from b');
    b.comment(one, 'from b, later');
    b.add(one, ['@y1']);
    const [fromA, fromB] = [a.changes(), b.changes()];
    a.apply(fromB);
    b.apply(fromA);
    expect(a.data()).toEqual(b.data());
    expect(a.node(one).comment).toBe('from b, later');
    expect(a.children(one)).toHaveLength(2);
  });

  it('merge a turn although they missed the change that created it', () => {
    const { a, b } = pair();
    const x = a.add(ROOT, ['@x1']);
    a.undo();
    let told: Change[] = [];
    a.onchange = (changes) => (told = changes);
    a.redo();
    expect(b.apply(told)).toBe(true);
    expect(b.node(x).actions).toEqual(['@x1']);
    expect(b.apply(told)).toBe(true);
    expect(b.data()).toEqual(a.data());
  });
});

describe('a game that went on', () => {
  const played = (...turns: string[]): TreeData => ({
    head: { game: 'third', date: String(turns.length) },
    nodes: turns.map((turn, i) => ({
      id: String(i + 1),
      parent: i ? String(i) : '',
      actions: [turn],
      comment: '',
      before: '',
    })),
  });
  /** A tree as it was opened, and the same after somebody has worked on it. */
  function opened(...turns: string[]): [TurnTree, TurnTree] {
    return [TurnTree.from(played(...turns), 'me'), TurnTree.from(played(...turns), '')];
  }
  const turnsOf = (tree: TurnTree, ids: readonly string[]) => ids.map((id) => tree.node(id).actions.join(' '));

  it('has the new turns in its main line, and keeps variations, comments and marks', () => {
    const [tree, origin] = opened('a', 'b');
    tree.comment('2', 'mine');
    tree.mark('1', { source: null, target: 'a1', colour: 'red' });
    const own = tree.add('2', ['x']);
    expect(tree.grow(origin, played('a', 'b', 'c', 'd'))).toBe(2);
    expect(turnsOf(tree, tree.line(ROOT))).toEqual(['a', 'b', 'c', 'd']);
    expect(tree.has(own)).toBe(true);
    expect(tree.node('2').comment).toBe('mine');
    expect(tree.node('1').marks).toHaveLength(1);
    expect(tree.head['date']).toBe('4');
    expect(tree.canUndo).toBe(true);
    tree.become(origin.store());
    expect(turnsOf(tree, tree.line(ROOT))).toEqual(['a', 'b', 'c', 'd']);
    expect([tree.has(own), tree.node('2').comment]).toEqual([false, '']);
  });

  it('takes the turn that somebody had tried already, with what was said about it', () => {
    const [tree, origin] = opened('a');
    const first = tree.add('1', ['x']);
    const guessed = tree.add('1', ['b']);
    tree.comment(guessed, 'expected');
    tree.grow(origin, played('a', 'b', 'c'));
    expect(tree.line(ROOT).slice(0, 2)).toEqual(['1', guessed]);
    expect(turnsOf(tree, tree.line(ROOT))).toEqual(['a', 'b', 'c']);
    expect([tree.has(first), tree.node(guessed).comment]).toEqual([true, 'expected']);
    tree.become(origin.store());
    expect(turnsOf(tree, tree.line(ROOT))).toEqual(['a', 'b', 'c']);
    expect(tree.node(guessed).comment).toBe('');
  });

  it('shows a turn that was taken back and played differently, and keeps the first as a variation', () => {
    const [tree, origin] = opened('a', 'b', 'c');
    tree.comment('2', 'taken back');
    tree.grow(origin, played('a', 'z'));
    expect(turnsOf(tree, tree.line(ROOT))).toEqual(['a', 'z']);
    expect([tree.has('3'), tree.node('2').comment]).toEqual([true, 'taken back']);
  });

  it('shows a turn that was taken back and then played after all', () => {
    const [tree, origin] = opened('a', 'b');
    tree.comment('2', 'mine');
    tree.grow(origin, played('a', 'z'));
    tree.grow(origin, played('a', 'b', 'c'));
    expect(turnsOf(tree, tree.line(ROOT))).toEqual(['a', 'b', 'c']);
    expect(turnsOf(origin, origin.line(ROOT))).toEqual(['a', 'b', 'c']);
    expect(tree.node('2').comment).toBe('mine');
  });

  it('leaves what somebody deleted or promoted as it is', () => {
    const [tree, origin] = opened('a', 'b');
    const own = tree.add('1', ['x']);
    tree.promote(own);
    tree.grow(origin, played('a', 'b', 'c'));
    expect(turnsOf(tree, tree.line(ROOT))).toEqual(['a', 'x']);
    expect(turnsOf(tree, tree.line('2'))).toEqual(['b', 'c']);
    tree.remove('2');
    tree.grow(origin, played('a', 'b', 'c', 'd'));
    expect(tree.has('2')).toBe(false);
  });

  it('is not changed by the same turns again', () => {
    const [tree, origin] = opened('a');
    tree.grow(origin, played('a', 'b'));
    const stored = JSON.stringify(tree.store());
    expect(tree.grow(origin, played('a', 'b'))).toBe(0);
    expect(JSON.stringify(tree.store())).toBe(stored);
  });
});
