/** Months of a plot over time. */

import type { Row } from './types';

const counted = (key: string) => {
  const [year = 0, month = 1] = key.split('-').map(Number);
  return year * 12 + month - 1;
};

/** The months up to the latest with games, including those without. The keys of rows are in order and look like `2026-03`. */
export function months(rows: readonly Row[], most: number, language: string): Row[] {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return [];
  const form = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...options });
  const [whole, narrow] = [form({ month: 'short', year: 'numeric' }), form({ month: 'narrow' })];
  const known = new Map(rows.map((row) => [counted(row.key), row]));
  const end = counted(last.key);
  const start = Math.max(counted(first.key), end - most + 1);
  return Array.from({ length: end - start + 1 }, (_, i) => {
    const [year, month] = [Math.floor((start + i) / 12), (start + i) % 12];
    const day = new Date(Date.UTC(year, month));
    // The year under a first December would overlap the year under the January next to it.
    const namesYear = month === 0 || (i === 0 && (month < 11 || start === end));
    return {
      key: `${year}-${String(month + 1).padStart(2, '0')}`,
      label: whole.format(day),
      games: known.get(start + i)?.games ?? 0,
      wins: known.get(start + i)?.wins ?? 0,
      tick: narrow.format(day),
      ...(namesYear ? { under: String(year) } : {}),
    };
  });
}
