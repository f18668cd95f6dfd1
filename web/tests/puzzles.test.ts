/** Attempts at puzzles in a browser: none is lost because of another tab, an account, or blocked storage. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chosen } from '../src/lib/puzzles/choice';
import { knownOf, own, storeAttempt, storedAttempts, syncProgress } from '../src/lib/puzzles/progress.svelte';
import { Solving } from '../src/lib/puzzles/solving.svelte';
import { api } from '../src/lib/net/client';
import type { Attempt, Progress } from '../src/lib/net/puzzles';
import { isForTab } from '../src/lib/net/transport';

const [send, one, hint, ask] = vi.hoisted(() => [vi.fn(), vi.fn(), vi.fn(), vi.fn()]);
vi.mock('../src/lib/net/puzzles', () => ({ puzzles: { progress: send, one, hint, try: ask } }));

const answer = (attempts: Attempt[], isKept: boolean): Progress => ({
  games: { nova: { rating: 1600, deviation: 300, tried: 1, solved: 1, in_a_row: 1, longest: 1 } },
  days: 1,
  attempts,
  is_kept: isKept,
});

beforeEach(() => {
  localStorage.clear();
  own.progress = null;
  send.mockReset();
});

it('keeps the first result of a puzzle and the first time it was solved', () => {
  storeAttempt('nova', 'a', 'missed', 10);
  storeAttempt('nova', 'a', 'solved', 20);
  storeAttempt('nova', 'a', 'solved', 30);
  expect(storedAttempts()).toEqual([{ game: 'nova', puzzle: 'a', result: 'missed', at: 10, solved: 20 }]);
});

it('keeps the attempts of a guest, and gives them to an account once', async () => {
  storeAttempt('nova', 'a', 'solved', 10);
  const stored = storedAttempts();
  send.mockResolvedValue(answer(stored, false));
  await syncProgress();
  expect(storedAttempts()).toEqual(stored);
  send.mockResolvedValue(answer(stored, true));
  await syncProgress();
  expect(send).toHaveBeenLastCalledWith(stored);
  expect(storedAttempts()).toEqual([]);
  expect(knownOf('nova')).toEqual({ solved: ['a'], missed: [], rating: 1600 });
});

it('does not remove an attempt that changed while an account took it over', async () => {
  storeAttempt('nova', 'a', 'missed', 10);
  send.mockImplementation((attempts: Attempt[]) => {
    storeAttempt('nova', 'a', 'solved', 20);
    storeAttempt('nova', 'b', 'solved', 25);
    return Promise.resolve(answer(attempts, true));
  });
  await syncProgress();
  expect(
    storedAttempts()
      .map((one) => [one.puzzle, one.solved])
      .sort(),
  ).toEqual([
    ['a', 20],
    ['b', 25],
  ]);
});

it('keeps everything if the server does not answer', async () => {
  storeAttempt('nova', 'a', 'solved', 10);
  send.mockRejectedValue(new Error('offline'));
  await expect(syncProgress()).rejects.toThrow('offline');
  expect(storedAttempts()).toHaveLength(1);
});

it('shows the last known progress of an account while the server can’t be reached', async () => {
  const known: Attempt[] = [{ game: 'nova', puzzle: 'a', result: 'missed', at: 1, solved: null }];
  send.mockResolvedValue(answer(known, true));
  await syncProgress();
  expect(isForTab('/me/puzzles')).toBe(false);
  expect(isForTab('/puzzles')).toBe(true);
  own.progress = null;
  storeAttempt('nova', 'a', 'solved', 20);
  storeAttempt('nova', 'b', 'missed', 30);
  send.mockRejectedValue(new Error('offline'));
  await expect(syncProgress()).rejects.toThrow('offline');
  expect(knownOf('nova')).toEqual({ solved: ['a'], missed: ['b'], rating: 1600 });
  expect(storedAttempts()).toHaveLength(2);
  send.mockResolvedValue(answer([], false)); // signed out
  await syncProgress();
  expect(isForTab('/me/puzzles')).toBe(true);
});

it('reads analyses in the tab while the server can’t be reached', () => {
  expect(isForTab('/records/tree')).toBe(true);
  expect(isForTab('/games')).toBe(false);
});

describe('a puzzle being solved', () => {
  const position = { game: 'third', to_move: 0, at_turn_start: true, outcome: null };
  const tried = { view: position, legal: [], effects: [], position: 'p' };
  const right = { is_right: true, turns: [], reasons: [] };

  async function loaded(): Promise<Solving> {
    one.mockResolvedValue({ id: 'a', position: 'p', players: 2, seat: 0 });
    hint.mockResolvedValue({ themes: [], cell: 'a1' });
    ask.mockResolvedValue(right);
    send.mockRejectedValue(new Error('offline'));
    const solving = new Solving('third', 'a', () => undefined);
    await solving.load();
    return solving;
  }

  beforeEach(() => {
    vi.spyOn(api, 'tryPosition').mockResolvedValue(tried as never);
    ask.mockClear();
  });
  afterEach(() => vi.restoreAllMocks());

  it('remembers across a reload that a hint was shown', async () => {
    await (await loaded()).help();
    const solving = await loaded();
    expect(solving.hinted).toBe(1);
    expect(solving.hint?.cell).toBe('a1');
    vi.spyOn(solving.builder, 'isComplete', 'get').mockReturnValue(true);
    await solving.check();
    expect(storedAttempts().map(({ result }) => result)).toEqual(['helped']);
    expect((await loaded()).hinted).toBe(0);
  });

  it('is sent once, however often the reader presses the button', async () => {
    const solving = await loaded();
    let isComplete = false;
    vi.spyOn(solving.builder, 'isComplete', 'get').mockImplementation(() => isComplete);
    vi.spyOn(solving.builder, 'canEnd', 'get').mockReturnValue(true);
    const act = vi.spyOn(solving.builder, 'act').mockImplementation(async () => {
      await Promise.resolve();
      return (isComplete = true);
    });
    await Promise.all([solving.check(), solving.check()]);
    expect(act).toHaveBeenCalledTimes(1);
    expect(ask).toHaveBeenCalledTimes(1);
    expect(solving.mood).toBe('right');
  });

  it('continues if the turn can’t be ended', async () => {
    const solving = await loaded();
    await solving.check();
    expect(solving.mood).toBe('playing');
    expect(ask).not.toHaveBeenCalled();
  });
});

it('ignores stored values that it can’t read', () => {
  localStorage.setItem('terrarium.puzzle.nova.a', '{"puzzle": 3}');
  localStorage.setItem('terrarium.puzzle.nova.b', 'no JSON');
  localStorage.setItem('terrarium.settings', '{}');
  const attempt = { game: 'nova', puzzle: 'c', result: 'solved', at: 10, solved: 10 };
  for (const wrong of [{ result: 'won' }, { result: undefined }, { solved: 'yes' }, { solved: -1 }, { at: 0.5 }])
    localStorage.setItem(`terrarium.puzzle.nova.${JSON.stringify(wrong)}`, JSON.stringify({ ...attempt, ...wrong }));
  expect(storedAttempts()).toEqual([]);
  localStorage.setItem('terrarium.puzzle.nova.c', JSON.stringify({ ...attempt, more: 1 }));
  expect(storedAttempts()).toEqual([attempt]);
});

it('reads theme and difficulty from an address', () => {
  expect(chosen(new URLSearchParams('theme=close&difficulty=easy&other=1'))).toEqual({
    theme: 'close',
    difficulty: 'easy',
  });
  expect(chosen(new URLSearchParams(''))).toEqual({});
});
