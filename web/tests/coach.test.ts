/** The coach: which turns it chooses, and its texts. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadPage } from '../src/games/index.svelte';
import { isAgainstComputers } from '../src/lib/game/coach.svelte';
import { compareTurns } from '../src/lib/game/compareTurns';
import { moments, reasonText } from '../src/lib/game/reasons';
import { speak } from '../src/lib/i18n/index.svelte';
import type { SeatView, Verdict } from '../src/lib/net/types';

const turn = (number: number, seat: number, loss: number) => ({ number, seat, loss });
const verdict = (label: string, own: number): Verdict => ({
  label,
  loss: 0,
  shares: [own, 1 - own],
  best: [],
  best_shares: [1, 0],
  reasons: [],
});
const seat = (number: number, kind: SeatView['kind']) => ({ seat: number, kind }) as SeatView;
const nameOf = (of: number) => ['Red', 'Blue'][of] ?? '';

describe('the moments of a game', () => {
  const turns = [turn(1, 0, 0.1), turn(2, 1, 0.5), turn(3, 0, 0.01), turn(4, 0, 0.3), turn(5, 0, 0.2), turn(6, 0, 0.4)];

  it('are the three worst turns of the reader, in the order of play', () => {
    expect(moments(turns, [0]).map((one) => one.number)).toEqual([4, 5, 6]);
  });

  it('are those of all players for a reader who made no mistake or has no seat', () => {
    expect(moments(turns, []).map((one) => one.number)).toEqual([2, 4, 6]);
    expect(moments([turn(1, 0, 0.02), turn(2, 1, 0.5)], [0]).map((one) => one.number)).toEqual([2]);
  });

  it('are empty if no turn lost much', () => {
    expect(moments([turn(1, 0, 0.02)], [0])).toEqual([]);
  });
});

describe('a turn of an exercise', () => {
  it('is compared with the best and with the turn of the game', () => {
    const played = verdict('blunder', 0.3);
    expect(compareTurns(verdict('best', 0.8), played, 0)).toBe('found');
    expect(compareTurns(verdict('good', 0.75), played, 0)).toBe('found');
    expect(compareTurns(verdict('mistake', 0.5), played, 0)).toBe('better');
    expect(compareTurns(verdict('blunder', 0.31), played, 0)).toBe('same');
    expect(compareTurns(verdict('blunder', 0.1), played, 0)).toBe('worse');
  });
});

describe('reasons', () => {
  beforeAll(async () => {
    await speak('common', 'reason');
    await loadPage('nova');
  }, 60_000);

  it('name the rival, the points and the land', () => {
    const found = reasonText(
      'fault',
      { side: 'allows', code: 'territory', seat: 1, points: 18, cells: ['a1'], landscapes: ['forest', 'lake'] },
      'nova',
      nameOf,
    );
    expect(found).toMatch(/Blue.*18 points.*forest, lake/i);
  });

  it('name the owner of a flag that is captured or attacked', () => {
    const reason = { side: 'gains', code: 'exposed', seat: 0, owner: 1, cells: ['c3'] } as const;
    expect(reasonText('line', { ...reason, cells: ['c3'] }, 'turrium', nameOf)).toMatch(/Blue.*c3/);
  });

  it('without a text in the catalogue are left out', () => {
    expect(reasonText('fault', { side: 'gains', code: 'magic', seat: 0 }, 'nova', nameOf)).toBeNull();
  });
});

describe('the coach', () => {
  it('is available only in games in which all others are computers', () => {
    expect(isAgainstComputers({ seats: [seat(0, 'device'), seat(1, 'computer')], you: [0] })).toBe(true);
    expect(isAgainstComputers({ seats: [seat(0, 'device'), seat(1, 'device')], you: [0, 1] })).toBe(false);
    expect(isAgainstComputers({ seats: [seat(0, 'device'), seat(1, 'link')], you: [0] })).toBe(false);
    expect(isAgainstComputers({ seats: [seat(0, 'computer'), seat(1, 'computer')], you: [] })).toBe(false);
  });
});
