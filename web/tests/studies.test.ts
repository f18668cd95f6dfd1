/** Studies: changes reach the server once and in order, whatever the network does, and editors end with the same study. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ROOT, TurnTree, type Change } from '../src/lib/game/tree';
import { api, Refused } from '../src/lib/net/client';
import { Live } from '../src/lib/net/live';
import { mergedStudies } from '../src/lib/net/localGames';
import { studies, type OpenedChapter, type StudyMessage, type StudyView } from '../src/lib/net/studies';
import {
  ChangeQueue,
  sentChange,
  treeChange,
  type Batch,
  type QueueState,
  type StoredQueue,
  type StudyChange,
} from '../src/lib/studies/changes';
import { sourceOf } from '../src/lib/studies/ChapterForm.svelte';
import { OpenStudy } from '../src/lib/studies/study.svelte';
import type { ReadTree, View } from '../src/lib/net/types';

const comment = (text: string, time: number, id = '1'): StudyChange => ({
  type: 'node',
  chapter: 'c',
  id,
  set: { comment: text },
  time,
  by: 'me',
});

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('the queue of changes', () => {
  let sent: Batch[] = [];
  let answers: (() => Promise<void>)[] = [];
  let stored: StoredQueue | null = null;
  let states: QueueState[] = [];
  let refused: unknown[] = [];
  const offline = () => Promise.reject(new Refused('offline', '', 0));

  const queue = () =>
    new ChangeQueue({
      send: (batch) => {
        sent.push(structuredClone(batch));
        return answers.shift()?.() ?? Promise.resolve();
      },
      store: (kept) => (stored = structuredClone(kept)),
      judge: (error) => {
        const { status, facts } = error as Refused;
        if (status === 0) return { after: 0 };
        return typeof facts['index'] === 'number' ? { without: facts['index'] } : 'stop';
      },
      onstate: (state) => states.push(state),
      onrefused: (error) => refused.push(error),
    });
  const texts = () => sent.map(({ changes }) => changes.map(({ set }) => Object.values(set)[0]));

  beforeEach(() => {
    sent = [];
    answers = [];
    stored = null;
    states = [];
    refused = [];
  });

  it('sends what is typed quickly as one change', async () => {
    const one = queue();
    ['a', 'ab', 'abc'].forEach((text, i) => one.add([comment(text, i)]));
    expect(stored?.waiting).toHaveLength(1);
    await vi.runAllTimersAsync();
    expect(texts()).toEqual([['abc']]);
    expect(stored).toBeNull();
    expect(states).toEqual(['sending', 'saved']);
  });

  it('keeps changes of different things apart, and what makes a node', async () => {
    const one = queue();
    const made = { ...comment('', 1, 'n'), made: { parent: '', actions: ['@a1'] } } as StudyChange;
    one.add([made, comment('said', 2, 'n'), comment('other', 3, 'm'), comment('back', 4, 'n')]);
    await vi.runAllTimersAsync();
    expect(texts()).toEqual([['', 'said', 'other', 'back']]);
  });

  it('sends a batch again under the same key until it arrives, and then the rest', async () => {
    const one = queue();
    answers = [offline, offline];
    one.add([comment('first', 1)]);
    await vi.advanceTimersByTimeAsync(300);
    expect(one.state).toBe('waiting');
    one.add([comment('second', 2)]);
    expect(stored).toMatchObject({ sending: { changes: [comment('first', 1)] }, waiting: [comment('second', 2)] });
    await vi.runAllTimersAsync();
    expect(texts()).toEqual([['first'], ['first'], ['first'], ['second']]);
    expect(new Set(sent.slice(0, 3).map(({ key }) => key)).size).toBe(1);
    expect(sent[3]?.key).not.toBe(sent[0]?.key);
    expect(one.state).toBe('saved');
    expect(stored).toBeNull();
  });

  it('is sent at once when the connection is back', async () => {
    const one = queue();
    answers = Array.from({ length: 20 }, () => offline);
    one.add([comment('first', 1)]);
    await vi.advanceTimersByTimeAsync(8_000);
    const before = sent.length;
    answers = [];
    one.flush();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(before + 1);
    expect(one.state).toBe('saved');
  });

  it('survives a reload: another page sends what was left, under the same key', async () => {
    const one = queue();
    answers = [offline];
    one.add([comment('first', 1)]);
    await vi.advanceTimersByTimeAsync(300);
    one.add([comment('second', 2)]);
    one.close();
    const left = stored as StoredQueue | null;
    const key = sent[0]?.key;
    sent = [];
    const other = queue();
    if (left) other.adopt(left);
    await vi.runAllTimersAsync();
    expect(texts()).toEqual([['first'], ['second']]);
    expect(sent[0]?.key).toBe(key);
    expect(stored).toBeNull();
  });

  it('leaves out the one change that the server refuses', async () => {
    const one = queue();
    answers = [() => Promise.reject(new Refused('invalid-change', '', 422, null, { index: 1 }))];
    one.add([comment('a', 1, 'a'), comment('b', 2, 'b'), comment('c', 3, 'c')]);
    await vi.runAllTimersAsync();
    expect(texts()).toEqual([
      ['a', 'b', 'c'],
      ['a', 'c'],
    ]);
    expect(sent[0]?.key).not.toBe(sent[1]?.key);
    expect(refused).toHaveLength(1);
    expect(one.state).toBe('saved');
  });

  it('stops and keeps everything when the server refuses all of it, until somebody decides', async () => {
    const one = queue();
    answers = [() => Promise.reject(new Refused('forbidden', '', 403))];
    one.add([comment('a', 1)]);
    await vi.runAllTimersAsync();
    one.add([comment('b', 2, 'b')]);
    await vi.runAllTimersAsync();
    expect(one.state).toBe('refused');
    expect(sent).toHaveLength(1);
    expect(one.pending).toHaveLength(2);
    expect(stored).not.toBeNull();
    one.flush();
    await vi.runAllTimersAsync();
    expect(texts()).toEqual([['a'], ['a'], ['b']]);
    one.add([comment('c', 3)]);
    one.drop();
    await vi.runAllTimersAsync();
    expect(sent).toHaveLength(3);
    expect(stored).toBeNull();
  });
});

describe('a change of a tree', () => {
  it('is the same after it was sent', () => {
    const tree = TurnTree.from({ head: {}, nodes: [] }, 'me');
    const all: Change[] = [];
    tree.onchange = (changes) => all.push(...changes);
    const id = tree.add(ROOT, ['@a1']);
    tree.comment(id, 'here');
    tree.remove(id);
    expect(all).toHaveLength(3);
    const [made] = all.map((change) => sentChange('c', change));
    expect(made).toMatchObject({ type: 'node', chapter: 'c', made: { parent: '' }, set: { is_hidden: false } });
    expect(all.map((change) => treeChange(sentChange('c', change)))).toEqual(all);
  });
});

describe('a pasted text', () => {
  it.each([
    ['https://example.org/g/abc-1?turn=3', { game_id: 'abc-1' }],
    ['[Game "nova"]\n1. @a1', { text: '[Game "nova"]\n1. @a1' }],
    [' turrium 2 11/11 0 flags ', { start: 'turrium 2 11/11 0 flags' }],
  ])('%s is recognised', (text, source) => expect(sourceOf(text)).toEqual(source));
});

describe('the list of studies', () => {
  const list = (...updated: string[]) =>
    Promise.resolve(Response.json({ studies: updated.map((one) => ({ id: one, updated: one })) }));
  const ids = async (response: Promise<Response>) =>
    ((await (await response).json()) as { studies: { id: string }[] }).studies.map(({ id }) => id);

  it('has those of the server and of this browser, the latest first', async () => {
    const local = () => list('2026-02');
    expect(await ids(mergedStudies(list('2026-03', '2026-01'), local(), local))).toEqual([
      '2026-03',
      '2026-02',
      '2026-01',
    ]);
    expect(await ids(mergedStudies(Promise.reject(new Error('offline')), null, local))).toEqual(['2026-02']);
  });
});

/** A server with one study: it stores what it gets and sends it to everybody who listens, unless their network is down. */
class FakeServer {
  readonly changes: StudyChange[] = [];
  readonly keys = new Set<string>();
  readonly listeners = new Map<(message: StudyMessage) => void, () => boolean>();
  private readonly tree = TurnTree.from(
    { head: { game: 'third' }, nodes: [{ id: '1', parent: '', actions: ['@a1'], comment: '', before: '' }] },
    'server',
  );

  view(): StudyView {
    const chapters = ['c', 'd'].map((id, rank) => ({ id, name: id, game: 'third', rank, goal: '', hint: '' }));
    for (const change of this.changes)
      if (change.type === 'chapter') Object.assign(chapters.find(({ id }) => id === change.id) ?? {}, change.set);
    const time = Math.max(0, ...this.changes.map((change) => change.time));
    const seq = this.changes.length;
    return { id: 's', name: 'Study', access: 'editor', visibility: 'private', seq, time, chapters, editors: 1 };
  }

  chapter(): OpenedChapter {
    const data = this.tree.data();
    const view = { game: 'third', to_move: 0, at_turn_start: true, outcome: null } as unknown as View;
    const nodes = data.nodes.map(({ id }, i) => ({
      id,
      kind: 'turn',
      number: i + 1,
      seat: 0,
      events: [],
      view,
      position: `after ${id}`,
    }));
    const read = { tree: data, text: '', game: 'third', rules: {}, board: null, seats: ['', ''] };
    return {
      seq: this.changes.length,
      stored: structuredClone(this.tree.store()),
      read: { ...read, start: 's', start_view: view, nodes, outcome: null } as unknown as ReadTree,
    };
  }

  take({ key, changes }: Batch): void {
    if (this.keys.has(key)) return;
    this.keys.add(key);
    this.changes.push(...structuredClone(changes));
    this.tree.apply(changes.filter((change) => change.type === 'node').map(treeChange));
    for (const [listener, isThere] of this.listeners)
      if (isThere()) listener({ type: 'changes', seq: this.changes.length, changes: structuredClone(changes) });
  }
}

describe('two editors of a study', () => {
  let server: FakeServer;
  /** Whose network is down. */
  const down = new Set<number>();
  let who = 0;
  const connections: { listener: (message: StudyMessage) => void; onstate: (state: 'open' | 'lost') => void }[] = [];

  beforeEach(() => {
    server = new FakeServer();
    down.clear();
    connections.length = 0;
    const asked = <T>(answer: () => T): Promise<T> =>
      down.has(who) ? Promise.reject(new Refused('offline', '', 0)) : Promise.resolve(answer());
    vi.spyOn(api, 'tryPosition').mockRejectedValue(new Refused('offline', '', 0));
    vi.spyOn(studies, 'one').mockImplementation(() => asked(() => server.view()));
    vi.spyOn(studies, 'chapter').mockImplementation(() => asked(() => server.chapter()));
    vi.spyOn(studies, 'change').mockImplementation((_, batch) => {
      const mine = batch.changes[0]?.by ?? '';
      const isDown = [...down].some((one) => editors[one]?.names.has(mine));
      if (isDown) return Promise.reject(new Refused('offline', '', 0));
      server.take(batch);
      return Promise.resolve({ seq: server.changes.length });
    });
    vi.spyOn(Live.prototype as unknown as { connect: () => void }, 'connect').mockImplementation(function (
      this: unknown,
    ) {
      const live = this as {
        onmessage: (message: StudyMessage) => void;
        onstate: (state: 'open' | 'lost') => void;
      };
      const place = who;
      connections[place] = { listener: live.onmessage, onstate: live.onstate };
      server.listeners.set(live.onmessage, () => !down.has(place));
      live.onstate('open');
    });
  });

  const editors: { study: OpenStudy; names: Set<string> }[] = [];
  async function open(place: number): Promise<OpenStudy> {
    who = place;
    const study = new OpenStudy('s');
    editors[place] = { study, names: new Set() };
    await study.open(null);
    await study.look('c');
    const { names } = editors[place];
    names.add(study['by']);
    names.add(study.board.tree.now.by);
    return study;
  }

  it('see each other’s changes, and one who was away loses nothing', async () => {
    const [first, second] = [await open(0), await open(1)];
    first.board.look('1');
    first.board.comment('from the first');
    await vi.runAllTimersAsync();
    expect(second.board.tree.now.node('1').comment).toBe('from the first');

    down.add(1);
    connections[1]?.onstate('lost');
    second.board.look('1');
    second.board.glyph(3);
    second.setChapter('c', { name: 'Renamed' });
    first.board.comment('meanwhile');
    await vi.advanceTimersByTimeAsync(3_000);
    expect(second.saving).toBe('waiting');
    expect(second.chapters[0]?.name).toBe('Renamed');
    expect(first.board.node.glyphs).toEqual([]);
    expect(second.board.node.comment).toBe('from the first');

    const missed = server.changes.slice(1);
    down.clear();
    who = 1;
    connections[1]?.listener({ type: 'changes', seq: server.changes.length, changes: missed });
    connections[1]?.onstate('open');
    await vi.runAllTimersAsync();
    for (const study of [first, second]) {
      expect(study.board.tree.now.node('1')).toMatchObject({ comment: 'meanwhile', glyphs: [3] });
      expect(study.chapters[0]?.name).toBe('Renamed');
      expect(study.saving).toBe('saved');
    }
    expect(Object.keys(localStorage)).toEqual([]);
  });

  it('send after a reload what they wrote while nobody answered', async () => {
    const before = await open(0);
    down.add(0);
    before.board.look('1');
    before.board.comment('kept');
    await vi.advanceTimersByTimeAsync(500);
    before.close();
    expect(server.changes).toEqual([]);
    down.clear();
    const after = await open(0);
    expect(after.board.tree.now.node('1').comment).toBe('kept');
    await vi.runAllTimersAsync();
    expect(server.changes).toMatchObject([{ set: { comment: 'kept' } }]);
    expect(Object.keys(localStorage)).toEqual([]);
  });

  it('keep what was not sent while they may only read', async () => {
    const before = await open(0);
    down.add(0);
    before.board.look('1');
    before.board.comment('kept');
    await vi.advanceTimersByTimeAsync(500);
    before.close();
    down.clear();
    const view = server.view();
    const asReader = vi.spyOn(studies, 'one').mockResolvedValue({ ...view, access: 'reader' });
    const reader = await open(0);
    await vi.runAllTimersAsync();
    expect(reader.canEdit).toBe(false);
    expect(server.changes).toEqual([]);
    reader.close();
    asReader.mockResolvedValue(view);
    await open(0);
    await vi.runAllTimersAsync();
    expect(server.changes).toMatchObject([{ set: { comment: 'kept' } }]);
  });

  it('take in what they hear while a chapter is being read', async () => {
    const study = await open(0);
    let answer: (chapter: OpenedChapter) => void = () => undefined;
    const old = server.chapter();
    vi.spyOn(studies, 'chapter').mockImplementation(() => new Promise((done) => (answer = done)));
    const looking = study.look('c');
    server.take({ key: 'other', changes: [{ ...comment('heard', 9), by: 'other' }] });
    answer(old);
    await looking;
    expect(study.board.tree.now.node('1').comment).toBe('heard');
  });

  it('move chapters', async () => {
    const study = await open(0);
    study.moveChapter('d', -1);
    expect(study.chapters.map(({ id }) => id)).toEqual(['d', 'c']);
    await vi.runAllTimersAsync();
    expect(study.chapters.map(({ id }) => id)).toEqual(['d', 'c']);
    study.setChapter('d', { is_hidden: true });
    expect(study.chapters.map(({ id }) => id)).toEqual(['c']);
  });
});
