/** Which puzzles a reader wants: by theme and difficulty, kept in the address from one puzzle to the next. */

import { has, t } from '../i18n/index.svelte';
import { puzzles, type AskPuzzle } from '../net/puzzles';
import type { GameName } from '../net/types';
import { router } from '../router.svelte';
import { knownOf, own, syncProgress } from './progress.svelte';

export const DIFFICULTIES = ['easy', 'medium', 'hard', 'expert'] as const;

/** A theme in words; its own name where this page has none. */
export function themeName(game: GameName, theme: string): string {
  const key = `puzzles.theme.${game}.${theme}`;
  return has(key) ? t(key) : theme;
}

/** The part of an address that says what was chosen. */
export function chosen(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    ['theme', 'difficulty'].flatMap((name) => {
      const value = query.get(name);
      return value ? [[name, value] as const] : [];
    }),
  );
}

/** Goes to another puzzle; `last` is the one that was just seen. */
export async function openNext(game: GameName, choice: Record<string, string>, last?: string): Promise<void> {
  if (!own.progress) await syncProgress().catch(() => undefined); // a puzzle can be chosen without it
  const wanted = { ...choice, ...knownOf(game), ...(last ? { last } : {}) } as Partial<AskPuzzle>;
  const { id } = await puzzles.next(game, wanted);
  const query = new URLSearchParams(choice).toString();
  router.go(`/puzzles/${game}/${id}${query ? `?${query}` : ''}`);
}
