/** All turns of others are shown, in order. */
import { expect, it, vi } from 'vitest';
import { Film, type Scene } from '../src/lib/game/film.svelte';
import { change } from '../src/lib/settings.svelte';
import type { Turn, View } from '../src/lib/net/types';

const view = (phase: string): View => ({
  game: 'three',
  phase,
  to_move: 0,
  at_turn_start: true,
  hand: [],
  resigned: [],
  outcome: null,
});
const turn = (number: number): Turn => ({
  number,
  seat: number % 3,
  actions: [`@a${number}`, `+b${number}`],
  events: [],
});
const scene = (number: number, views?: Scene['views']): Scene => ({
  turn: turn(number),
  now: view(`before ${number}`),
  views: views ?? { before: view(`before ${number}`), after: view(`after ${number}`) },
  shown: (before, action) => ({ ...before, phase: `${before.phase} ${action.target}` }),
});

it('shows every turn that arrives while another is shown, in order', async () => {
  vi.useFakeTimers();
  const reported: number[] = [];
  const film = new Film((turns) => reported.push(...turns.map((one) => one.number)));
  for (const number of [1, 2, 3]) film.add(scene(number));
  expect(film.turn?.number).toBe(1);
  const seen = new Set<string>();
  for (let i = 0; i < 400; i++) {
    await vi.advanceTimersByTimeAsync(20);
    if (film.view) seen.add(film.view.phase);
  }
  expect([...seen]).toEqual(
    [1, 2, 3].flatMap((n) => [`before ${n}`, `before ${n} a${n}`, `before ${n} a${n} b${n}`, `after ${n}`]),
  );
  expect(reported).toEqual([1, 2, 3]);
  expect([film.view, film.turn]).toEqual([null, null]);
  vi.useRealTimers();
});

it('waits for positions that are still being fetched, and keeps the order', async () => {
  vi.useFakeTimers();
  const reported: number[] = [];
  const film = new Film((turns) => reported.push(...turns.map((one) => one.number)));
  const late = new Promise<{ before: View; after: View }>((done) =>
    setTimeout(() => done({ before: view('late'), after: view('late') }), 500),
  );
  film.add(scene(1, late));
  film.add(scene(2));
  await vi.advanceTimersByTimeAsync(400);
  expect([film.view?.phase, reported]).toEqual(['before 1', []]);
  await vi.advanceTimersByTimeAsync(9000);
  expect(reported).toEqual([1, 2]);
  vi.useRealTimers();
});

it('reports turns that were skipped, but none that were taken back', async () => {
  vi.useFakeTimers();
  const reported: number[] = [];
  const film = new Film((turns) => reported.push(...turns.map((one) => one.number)));
  film.add(scene(1));
  film.add(scene(2));
  film.skip();
  expect([reported, film.view]).toEqual([[1, 2], null]);
  film.add(scene(3));
  film.drop();
  await vi.advanceTimersByTimeAsync(9000);
  expect(reported).toEqual([1, 2]);
  vi.useRealTimers();
});

it('shows a turn for the minimum time from the settings, with or without animations', async () => {
  vi.useFakeTimers();
  for (const speed of ['normal', 'off'] as const) {
    change('speed', speed);
    change('turnTime', 'long');
    const reported: number[] = [];
    const film = new Film((turns) => reported.push(...turns.map((one) => one.number)));
    film.add(scene(1));
    await vi.advanceTimersByTimeAsync(2900);
    expect([film.turn?.number, reported]).toEqual([1, []]);
    await vi.advanceTimersByTimeAsync(200);
    expect([film.turn, reported]).toEqual([null, [1]]);
    change('turnTime', 'none');
    film.add(scene(2));
    await vi.advanceTimersByTimeAsync(speed === 'off' ? 0 : 2000);
    expect(reported).toEqual([1, 2]);
  }
  change('speed', 'normal');
  change('turnTime', 'short');
  vi.useRealTimers();
});

it('reports all skipped turns in one call', () => {
  const reported: number[][] = [];
  const film = new Film((turns) => reported.push(turns.map((one) => one.number)));
  for (const number of [1, 2, 3]) film.add(scene(number));
  film.skip();
  expect(reported).toEqual([[1, 2, 3]]);
});
