import { describe, expect, it } from 'vitest';
import { sameList, sameRecord, KeyedMemo, memo } from '../src/lib/board/memo';
import { IsometricLayout } from '../src/games/turrium/board/geometry';
import { memoMarks } from '../src/games/turrium/board/marks';
import { memoSites, memoTowers } from '../src/games/turrium/board/towers.svelte';

describe('an unchanged value stays the same object', () => {
  it('lists and records are compared by their contents', () => {
    const [a, b] = [{}, {}];
    expect(sameList([a, b], [a, b])).toBe(true);
    expect(sameList([a, b], [b, a])).toBe(false);
    expect(sameList([a], [a, b])).toBe(false);
    expect(sameRecord({ e7: 1, e8: 2 }, { e8: 2, e7: 1 })).toBe(true);
    expect(sameRecord({ e7: 1, e8: 2 }, { e7: 1 })).toBe(false);
    expect(sameRecord({ e7: 1 }, { e7: 1, e8: 2 })).toBe(false);
  });

  it('a value is kept until a different one comes', () => {
    const keep = memo<readonly string[]>(sameList);
    const first = keep(['e7']);
    expect(keep(['e7'])).toBe(first);
    const second = keep(['e8']);
    expect(second).not.toBe(first);
    expect(keep(['e8'])).toBe(second);
  });

  it('each name has its own memory', () => {
    const known = new KeyedMemo<{ height: number }>((before, now) => before.height === now.height);
    const e7 = known.keep('e7', { height: 1 });
    const e8 = known.keep('e8', { height: 1 });
    expect(e8).not.toBe(e7);
    expect(known.keep('e7', { height: 1 })).toBe(e7);
    expect(known.keep('e7', { height: 2 })).not.toBe(e7);
  });

  it('only the tower that got a cube is drawn again', () => {
    const cells = ['c3', 'd3', 'e3', 'c4', 'd4', 'e4'];
    const [towersOf, marksOf, sitesOf] = [memoTowers(), memoMarks(), memoSites()];
    const drawn = (heights: Record<string, number>, legal: string[]) => {
      const layout = new IsometricLayout(cells, 0, heights, {}, 3);
      const targets = new Map(legal.map((cell) => [cell, { kind: 'cube' }]));
      const towers = towersOf({
        heights,
        territories: {},
        layout,
        flags: new Map(),
        colours: [],
        draft: new Set(),
        faded: new Set(),
        carried: null,
      });
      const sites = sitesOf(
        towers,
        marksOf(layout, { targets, hinted: new Map(), sources: new Set(), selected: null }, new Set()),
      );
      return { sites, towers: sites.map((site) => site.tower), marks: sites.map((site) => site.mark) };
    };
    const before = drawn({ c3: 1, d3: 2 }, cells);
    const now = drawn({ c3: 1, d3: 3 }, cells);
    expect(now.sites).toBe(before.sites);
    expect(now.towers.filter((tower, i) => tower !== before.towers[i]).map((tower) => tower.cell)).toEqual(['d3']);
    const fewer = drawn({ c3: 1, d3: 3 }, cells.slice(1));
    expect(fewer.towers).toEqual(now.towers);
    expect(fewer.towers.every((tower, i) => tower === now.towers[i])).toBe(true);
    expect(fewer.marks.filter((one, i) => one !== now.marks[i]).map((one) => one.face)).toEqual(['none']);
  });
});
