/** The analysis board never loses stored work, whatever the server answers and other tabs do. */
import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest';
import Marks from '../src/lib/board/Marks.svelte';
import type { Mark } from '../src/lib/board/types';
import { AnalysisBoard, type AnalysisSource } from '../src/lib/game/analysis.svelte';
import {
  draftOf,
  dropDraft,
  dropHanded,
  handed,
  handOver,
  keepDraft,
  type Draft,
} from '../src/lib/game/analysisDrafts';
import { readSaved } from '../src/lib/game/savedAnalysis';
import { ROOT, TurnTree, type Change, type TreeData } from '../src/lib/game/tree';
import { api, Refused } from '../src/lib/net/client';
import type { ReadTree, TryResult, View } from '../src/lib/net/types';

const view = { game: 'third', to_move: 0, at_turn_start: true, outcome: null } as unknown as View;

/** The server's answer for a tree whose nodes are all legal. */
const answer = (tree: TreeData): ReadTree =>
  ({
    tree,
    text: '',
    game: 'third',
    rules: {},
    board: null,
    seats: ['', ''],
    start: 'start',
    start_view: view,
    nodes: tree.nodes.map(({ id }, i) => ({
      id,
      kind: 'turn',
      number: i + 1,
      seat: 0,
      events: [],
      view,
      position: `after ${id}`,
    })),
    outcome: null,
  }) as unknown as ReadTree;

const found = { view, legal: [], effects: [], position: 'new' } as unknown as TryResult;
const ORIGIN: TreeData = {
  head: { game: 'third' },
  nodes: [{ id: '1', parent: '', actions: ['@a1'], comment: '', before: '' }],
};
const source = (key: string, other: Partial<AnalysisSource> = {}): AnalysisSource => ({
  key,
  address: `/analysis?id=${key}`,
  read: () => Promise.resolve(answer(ORIGIN)),
  ...other,
});

/** A stored draft with changes of the source. */
function worked(comment: string): Draft {
  const tree = TurnTree.from(ORIGIN, 'before');
  const origin = tree.store();
  tree.comment('1', comment);
  return { address: '/analysis?id=x', tree: tree.store(), origin, at: '1' };
}
const commentIn = (draft: Draft | null) => draft?.tree.nodes.find((node) => node.id === '1')?.comment;

/** Broadcast channels that deliver messages at once. */
class Channel {
  static all: Channel[] = [];
  private readonly heard: ((event: { data: unknown }) => void)[] = [];
  constructor() {
    Channel.all.push(this);
  }
  addEventListener(_: string, listener: (event: { data: unknown }) => void): void {
    this.heard.push(listener);
  }
  postMessage(data: unknown): void {
    for (const other of Channel.all) if (other !== this) other.heard.forEach((listener) => listener({ data }));
  }
  close(): void {
    Channel.all = Channel.all.filter((one) => one !== this);
  }
}

let ask: MockInstance<typeof api.tree>;
let boards: AnalysisBoard[] = [];
function board(): AnalysisBoard {
  const made = new AnalysisBoard();
  boards.push(made);
  return made;
}
let count = 0;
const fresh = () => `test ${++count}`;

beforeEach(() => {
  localStorage.clear();
  vi.stubGlobal('BroadcastChannel', Channel);
  ask = vi.spyOn(api, 'tree').mockImplementation(({ tree }) => Promise.resolve(answer(tree as TreeData)));
  vi.spyOn(api, 'tryPosition').mockResolvedValue(found);
});
afterEach(() => {
  boards.forEach((one) => one.close());
  boards = [];
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('stored work that the server refuses', () => {
  it('is neither opened nor overwritten, and can be discarded', async () => {
    const key = fresh();
    keepDraft(key, worked('mine'));
    ask.mockRejectedValueOnce(new Refused('invalid-tree', 'no', 422));
    const [analysis, onkept] = [board(), vi.fn()];
    await analysis.open(source(key, { onkept }), null);
    expect(analysis.refused?.problem.code).toBe('invalid-tree');
    expect(commentIn(analysis.refused?.draft ?? null)).toBe('mine');
    expect(analysis.isOpen).toBe(false);
    expect(onkept).not.toHaveBeenCalled();
    analysis.comment('elsewhere');
    expect(commentIn(draftOf(key))).toBe('mine');
    analysis.discardRefused();
    expect(draftOf(key)).toBeNull();
    await analysis.open(source(key), null);
    expect(analysis.isOpen).toBe(true);
    expect(analysis.refused).toBeNull();
  });

  it('is refused without a request if it is damaged', async () => {
    const key = fresh();
    keepDraft(key, { ...worked('mine'), tree: null as unknown as Draft['tree'] });
    const analysis = board();
    await analysis.open(source(key), null);
    expect(analysis.refused?.problem.code).toBe('invalid-tree');
    expect(ask).not.toHaveBeenCalled();
  });

  it.each([
    ['offline', 0],
    ['too-many-requests', 429],
    ['internal-error', 503],
  ])('stays for another try after %s', async (code, status) => {
    const key = fresh();
    keepDraft(key, worked('mine'));
    ask.mockRejectedValueOnce(new Refused(code, '', status));
    const analysis = board();
    await expect(analysis.open(source(key), null)).rejects.toThrow(Refused);
    expect(analysis.refused).toBeNull();
    await analysis.open(source(key), null);
    expect(analysis.node.comment).toBe('mine');
  });
});

describe('a record passed to the analysis board', () => {
  it('has its own address and is held until it is stored', async () => {
    const addresses = [handOver('one'), handOver('two')];
    const [one = '', two = ''] = addresses.map(
      (address) => new URL(address, 'http://x').searchParams.get('file') ?? '',
    );
    expect(one).not.toBe(two);
    expect([handed(one), handed(two)]).toEqual(['one', 'two']);
    const analysis = board();
    const file = source(`file ${one}`, { onkept: () => dropHanded(one) });
    await expect(
      analysis.open({ ...file, read: () => Promise.reject(new Refused('offline', '', 0)) }, null),
    ).rejects.toThrow();
    expect(handed(one)).toBe('one');
    await analysis.open(file, null);
    expect([handed(one), handed(two)]).toEqual([null, 'two']);
    expect(draftOf(`file ${one}`)?.tree.nodes).toHaveLength(2);
  });
});

describe('a game that went on since it was analysed', () => {
  const later: TreeData = {
    head: ORIGIN.head,
    nodes: [...ORIGIN.nodes, { id: '2', parent: '1', actions: ['@b1'], comment: '', before: '' }],
  };

  it('is shown with its new turns and with the work on it, and stored so', async () => {
    const key = fresh();
    keepDraft(key, worked('mine'));
    const analysis = board();
    await analysis.open(source(key, { latest: () => Promise.resolve(later) }), null);
    expect(analysis.grown).toBe(1);
    expect(analysis.tree.now.line(ROOT)).toEqual(['1', '2']);
    expect(analysis.placeOf('2')).toBeDefined();
    expect(analysis.tree.now.node('1').comment).toBe('mine');
    expect(draftOf(key)?.tree.nodes.map(({ id }) => id)).toContain('2');
    analysis.discard();
    expect(analysis.tree.now.line(ROOT)).toEqual(['1', '2']);
    expect(analysis.tree.now.node('1').comment).toBe('');
  });

  it('loses nothing that is said about its new turns to a tab that was open before', async () => {
    const key = fresh();
    keepDraft(key, worked('mine'));
    const [early, late] = [board(), board()];
    await early.open(source(key), null);
    await late.open(source(key, { latest: () => Promise.resolve(later) }), null);
    late.look('2');
    late.comment('new');
    early.look('1');
    early.comment('mine too');
    const said = draftOf(key)?.tree.nodes.map(({ id, comment }) => [id, comment]);
    expect(said).toEqual(
      expect.arrayContaining([
        ['1', 'mine too'],
        ['2', 'new'],
      ]),
    );
  });

  it('is shown as it was analysed if the game cannot be read', async () => {
    const key = fresh();
    keepDraft(key, worked('mine'));
    const analysis = board();
    await analysis.open(source(key, { latest: () => Promise.reject(new Refused('offline', '', 0)) }), null);
    expect(analysis.grown).toBe(0);
    expect(analysis.tree.now.node('1').comment).toBe('mine');
  });
});

describe('an analysis that was saved as JSON', () => {
  it('can be read again', async () => {
    const draft = worked('mine');
    ask.mockImplementation(({ tree, is_lenient }) =>
      Promise.resolve({ ...answer(tree as TreeData), text: 'as text', omitted: is_lenient ? 2 : 0 }),
    );
    expect(await readSaved(JSON.stringify(draft))).toEqual({ text: 'as text', omitted: 2 });
    const sent = ask.mock.calls.at(-1)?.[0].tree as TreeData;
    expect(sent.nodes).toMatchObject([{ id: '1', comment: 'mine' }]);
  });

  it.each([
    ['cut off', '{"address":"/analysis","tree":{"no'],
    ['another file', '{"games":[]}'],
    ['no turns', JSON.stringify({ tree: { head: {}, nodes: 3, stamps: [] } })],
    ['a turn without actions', JSON.stringify({ tree: { head: {}, nodes: [{ id: '1', parent: '' }], stamps: [] } })],
  ])('is refused with a reason if it is damaged: %s', async (_, text) => {
    await expect(readSaved(text)).rejects.toMatchObject({ code: 'damaged-analysis' });
    expect(ask).not.toHaveBeenCalled();
  });
});

describe('two tabs', () => {
  it('lose no change that one makes while the other is opening', async () => {
    const key = fresh();
    const [first, second] = [board(), board()];
    await first.open(source(key), null);
    let go: (read: ReadTree) => void = () => undefined;
    const opening = second.open(source(key, { read: () => new Promise((done) => (go = done)) }), null);
    first.look('1');
    first.comment('from the first');
    dropDraft(key); // as if the first tab had not stored it yet
    go(answer(ORIGIN));
    await opening;
    second.look('1');
    expect(second.node.comment).toBe('from the first');
    second.glyph(1);
    expect(first.node.glyphs).toEqual([1]);
    expect(commentIn(draftOf(key))).toBe('from the first');
  });

  it('take over the stored changes of a tab that was closed', async () => {
    const key = fresh();
    const second = board();
    const read = () => {
      keepDraft(key, worked('stored meanwhile'));
      return Promise.resolve(answer(ORIGIN));
    };
    await second.open(source(key, { read }), null);
    second.look('1');
    expect(second.node.comment).toBe('stored meanwhile');
    expect(second.isChanged).toBe(true);
  });

  it('do not change an analysis that is opened without changes', async () => {
    const key = fresh();
    const [first, second] = [board(), board()];
    await first.open(source(key), null);
    await second.open(source(key), null);
    expect([first.isChanged, second.isChanged]).toEqual([false, false]);
  });
});

describe('a late answer', () => {
  it('does not get into another analysis', async () => {
    const analysis = board();
    await analysis.open(source(fresh()), null);
    let go: (result: TryResult) => void = () => undefined;
    vi.mocked(api.tryPosition).mockImplementationOnce(() => new Promise((done) => (go = done)));
    const inserting = analysis.insert({ turn: ['@z1'], replies: [], shares: [] } as never);
    await analysis.open(source(fresh()), null);
    go({ ...found, turns: [{ seat: 0, actions: ['@z1'], events: [], view, position: 'z' }] } as never);
    await inserting;
    expect(analysis.tree.now.data().nodes.map(({ id }) => id)).toEqual(['1']);
    expect(analysis.isChanged).toBe(false);
  });

  it('does not show its problem in another analysis', async () => {
    const analysis = board();
    await analysis.open(source(fresh()), null);
    let fail: (error: Refused) => void = () => undefined;
    vi.mocked(api.tryPosition).mockImplementationOnce(() => new Promise((_, no) => (fail = no)));
    const inserting = analysis.insert({ turn: ['@z1'], replies: [], shares: [] } as never);
    await analysis.open(source(fresh()), null);
    fail(new Refused('busy', '', 503));
    await inserting;
    expect(analysis.problem).toBeNull();
  });

  it('about changes of another tab is not requested after something else was opened', async () => {
    const [analysis, key] = [board(), fresh()];
    await analysis.open(source(key), null);
    vi.useFakeTimers();
    try {
      const made = { parent: ROOT, actions: ['@q1'] };
      const change: Change = { id: 'q', made, set: { isHidden: false }, time: 5, by: 'other' };
      new Channel().postMessage({ key, changes: [change] });
      expect(analysis.tree.now.has('q')).toBe(true);
      await analysis.open(source(fresh()), null);
      ask.mockClear();
      vi.advanceTimersByTime(1000);
      expect(ask).not.toHaveBeenCalled();
    } finally {
      vi.useRealTimers();
    }
  });
});

it('shows that a turn can have no more marks, and keeps those it has', async () => {
  const analysis = board();
  await analysis.open(source(fresh()), null);
  for (let i = 0; i < 64; i++) expect(analysis.mark({ source: null, target: `a${i}`, colour: 'green' })).toBe(true);
  expect(analysis.mark({ source: null, target: 'b1', colour: 'green' })).toBe(false);
  expect(analysis.problem?.code).toBe('tree-full');
  expect(analysis.node.marks).toHaveLength(64);
  expect(analysis.mark({ source: null, target: 'a0', colour: 'red' })).toBe(true);
  expect(analysis.problem).toBeNull();
});

it('can draw a record that marks a cell twice', async () => {
  const marks: Mark[] = ['green', 'red'].map((colour) => ({ source: null, target: 'a1', colour }) as Mark);
  const shown = mount(Marks, {
    target: document.body,
    props: { marks, at: () => [0, 0] as never, outline: () => 'M0 0' },
  });
  flushSync();
  expect(document.querySelectorAll('[data-mark="-a1"]')).toHaveLength(2);
  await unmount(shown);
});
