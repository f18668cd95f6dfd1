/** Goals of guided games, and the islands of lessons. */
import { describe, expect, it } from 'vitest';
import { reached, type Progress } from '../src/lib/learn/goal';
import { named } from '../src/games/nova/letters';
import { loadPage } from '../src/games/index.svelte';
import type { TurriumView } from '../src/games/turrium/view';

const scored = (points: number) => ({ kind: 'territory-scored', awards: [points, 0] });
const view = {
  game: 'turrium',
  flags: { d5: 0 },
  ladders: [{ held: [1, 2, 4], missing: [3, 5, 6] }],
} as unknown as TurriumView;
const progress = (facts: Partial<Progress> = {}): Progress => ({
  actions: [],
  kinds: {},
  events: [],
  isComplete: false,
  view,
  seat: 0,
  ...facts,
});

describe('goals', () => {
  it('can require an event more than once', () => {
    const twice = { kind: 'event', event: 'territory-scored', where: { 'awards.0': 1 }, count: 2 } as const;
    expect(reached(twice, progress({ events: [scored(24)] }))).toBe(false);
    expect(reached(twice, progress({ events: [scored(24), scored(0)] }))).toBe(false);
    expect(reached(twice, progress({ events: [scored(24), scored(9)] }))).toBe(true);
  });

  it('can require heights of towers with flags of the reader', async () => {
    await loadPage('turrium');
    expect(reached({ kind: 'ladder', held: [4] }, progress())).toBe(true);
    expect(reached({ kind: 'ladder', held: [4, 5] }, progress())).toBe(false);
  });
});

describe('islands of lessons', () => {
  it('have landscapes with names', () => {
    const board = {
      name: 'isle',
      author: '',
      note: '',
      map: '',
      letters: ['M', 'L', 'F'],
      landscapes: ['M', 'L', 'forest'],
      cells: [],
    };
    expect(named(board).landscapes).toEqual(['meadow', 'lake', 'forest']);
  });
});
