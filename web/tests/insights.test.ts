import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../src/lib/i18n/index.svelte';
import { months } from '../src/lib/insights/months';

const row = (key: string, games = 1) => ({ key, label: key, games, wins: 0.5 });

describe('months of a plot', () => {
  it('include those without games, across the end of a year', () => {
    const found = months([row('2025-10', 4), row('2026-02')], 12, 'en');
    expect(found.map(({ key, games }) => [key, games])).toEqual([
      ['2025-10', 4],
      ['2025-11', 0],
      ['2025-12', 0],
      ['2026-01', 0],
      ['2026-02', 1],
    ]);
    expect(found.map(({ label }) => label)).toEqual(['Oct 2025', 'Nov 2025', 'Dec 2025', 'Jan 2026', 'Feb 2026']);
    expect(found.map(({ tick }) => tick)).toEqual(['O', 'N', 'D', 'J', 'F']);
    expect(found.map(({ under }) => under)).toEqual(['2025', undefined, undefined, '2026', undefined]);
  });

  it('are the latest consecutive months, not the latest months with games', () => {
    const found = months([row('2023-05'), row('2025-07'), row('2026-06')], 12, 'en');
    expect(found).toHaveLength(12);
    expect([found[0]?.key, found[0]?.games, found.at(-1)?.key]).toEqual(['2025-07', 1, '2026-06']);
  });

  it('name the year under each January and the first month, unless it would overlap the next', () => {
    const years = (...keys: string[]) =>
      months(
        keys.map((key) => row(key)),
        12,
        'en',
      ).map(({ under }) => under);
    expect(years('2025-12')).toEqual(['2025']);
    expect(years('2025-12', '2026-01')).toEqual([undefined, '2026']);
    expect(months([], 12, 'en')).toEqual([]);
  });

  it.each(Object.keys(LANGUAGES))('have narrow names in %s', (language) => {
    for (const { tick } of months([row('2026-01'), row('2026-12')], 12, language)) expect(tick).toHaveLength(1);
  });
});
