/** What a browser keeps of puzzles: nothing is lost to another tab, to an account, or to closed storage. */
import { beforeEach, expect, it, vi } from 'vitest';
import { chosen } from '../src/lib/puzzles/choice';
import { knownOf, own, storeAttempt, storedAttempts, syncProgress } from '../src/lib/puzzles/progress.svelte';
import type { Attempt, Progress } from '../src/lib/net/puzzles';

const send = vi.hoisted(() => vi.fn());
vi.mock('../src/lib/net/puzzles', () => ({ puzzles: { progress: send } }));

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

it('keeps what a guest has tried, and hands it to an account once', async () => {
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

it('does not remove what changed while an account took it over', async () => {
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

it('ignores what it can not read', () => {
  localStorage.setItem('terrarium.puzzle.nova.a', '{"puzzle": 3}');
  localStorage.setItem('terrarium.puzzle.nova.b', 'no JSON');
  localStorage.setItem('terrarium.settings', '{}');
  expect(storedAttempts()).toEqual([]);
});

it('reads theme and difficulty from an address', () => {
  expect(chosen(new URLSearchParams('theme=close&difficulty=easy&other=1'))).toEqual({
    theme: 'close',
    difficulty: 'easy',
  });
  expect(chosen(new URLSearchParams(''))).toEqual({});
});
