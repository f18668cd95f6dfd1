/** The queue of changes: every change reaches the server once and in order, whatever the network does. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ROOT, TurnTree, type Change } from '../src/lib/game/tree';
import { Refused } from '../src/lib/net/client';
import {
  ChangeQueue,
  sentChange,
  treeChange,
  type Batch,
  type QueueState,
  type StoredQueue,
  type StudyChange,
} from '../src/lib/studies/changes';

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
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the queue of changes', () => {
  let sent: Batch[] = [];
  let answers: (() => Promise<void>)[] = [];
  let stored: StoredQueue | null = null;
  let states: QueueState[] = [];
  let lasts: boolean[] = [];
  let refused: unknown[] = [];
  const offline = () => Promise.reject(new Refused('offline', '', 0));

  const queue = () =>
    new ChangeQueue({
      send: (batch, isLast) => {
        sent.push(structuredClone(batch));
        lasts.push(isLast);
        return answers.shift()?.() ?? Promise.resolve();
      },
      store: (kept) => (stored = structuredClone(kept)),
      judge: (error) => {
        const { status, facts } = error as Refused;
        if (status === 0) return { after: 0 };
        if (status === 413) return 'smaller';
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
    lasts = [];
    refused = [];
  });

  it('sends quick typing as one change', async () => {
    const one = queue();
    ['a', 'ab', 'abc'].forEach((text, i) => one.add([comment(text, i)]));
    expect(stored?.waiting).toHaveLength(1);
    await vi.runAllTimersAsync();
    expect(texts()).toEqual([['abc']]);
    expect(stored).toBeNull();
    expect(states).toEqual(['sending', 'saved']);
  });

  it('does not merge changes of different nodes or fields, nor the change that creates a node', async () => {
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

  it('sends at once when the connection is back', async () => {
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

  it('tries again at the planned time although somebody keeps typing', async () => {
    const one = queue();
    answers = [offline];
    one.add([comment('a', 1)]);
    await vi.advanceTimersByTimeAsync(300);
    for (let i = 0; i < 10; i++) {
      one.add([comment('a'.repeat(i + 2), i + 2)]);
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(texts().slice(0, 2)).toEqual([['a'], ['a']]);
  });

  it('sends pending changes when it is closed, but not refused ones', async () => {
    const one = queue();
    one.add([comment('a', 1)]);
    one.close();
    await vi.runAllTimersAsync();
    expect(texts()).toEqual([['a']]);
    expect(lasts).toEqual([true]);
    expect(stored).toBeNull();

    const other = queue();
    answers = [() => Promise.reject(new Refused('forbidden', '', 403))];
    other.add([comment('b', 2)]);
    await vi.runAllTimersAsync();
    other.close();
    await vi.runAllTimersAsync();
    expect(texts()).toEqual([['a'], ['b']]);
    expect(stored).not.toBeNull();
  });

  it('sends an unanswered batch again, under the same key, when the page is left', async () => {
    const one = queue();
    answers = [() => new Promise(() => undefined)];
    one.add([comment('a', 1)]);
    await vi.advanceTimersByTimeAsync(300);
    one.leave();
    expect(lasts).toEqual([false, true]);
    expect(sent[1]).toEqual(sent[0]);
  });

  it('sends everything on request, and reports whether that was possible', async () => {
    const one = queue();
    one.add([comment('a', 1)]);
    expect(await one.sendAll()).toBe(true);
    answers = [offline];
    one.add([comment('b', 2)]);
    expect(await one.sendAll()).toBe(false);
    expect(await one.sendAll()).toBe(true);
    expect(texts()).toEqual([['a'], ['b'], ['b']]);
  });

  it('splits a large batch into several requests', async () => {
    const one = queue();
    const large = 'ä'.repeat(10_000);
    one.add(['a', 'b', 'c', 'd', 'e'].map((id, i) => comment(large, i, id)));
    await vi.runAllTimersAsync();
    expect(sent.map(({ changes }) => changes.length)).toEqual([2, 2, 1]);
    expect(sent.flatMap(({ changes }) => changes.map(({ time }) => time))).toEqual([0, 1, 2, 3, 4]);
  });

  it('sends half of a batch that the server finds too large', async () => {
    const one = queue();
    const tooLarge = () => Promise.reject(new Refused('too-large', '', 413));
    answers = [tooLarge];
    one.add(['a', 'b', 'c'].map((id, i) => comment(id, i, id)));
    await vi.runAllTimersAsync();
    expect(texts()).toEqual([['a', 'b', 'c'], ['a', 'b'], ['c']]);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(3);
    answers = [tooLarge];
    one.add([comment('d', 4)]);
    await vi.runAllTimersAsync();
    expect(one.state).toBe('refused');
  });

  it('survives a reload: another page sends the rest, under the same key', async () => {
    const one = queue();
    answers = [offline];
    one.add([comment('first', 1)]);
    await vi.advanceTimersByTimeAsync(300);
    one.add([comment('second', 2)]);
    answers = [offline];
    one.close();
    await vi.runAllTimersAsync();
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

  it('stops and keeps everything when the server refuses all of it, until the reader decides', async () => {
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
