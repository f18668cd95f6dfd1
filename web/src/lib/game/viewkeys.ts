/** The keyboard shortcuts that change how a board is shown, on all screens with a board. */

import { pageOf } from '../../games/index.svelte';
import type { GameName } from '../net/types';

export function viewKeys(game: GameName | undefined, rotate: () => void): Record<string, () => void> {
  return { r: rotate, ...(game === undefined ? {} : pageOf(game)?.keys) };
}

/** The name of a key in tables of shortcuts: lower-case letters, and `Shift+` before arrows. */
export function keyName(event: KeyboardEvent): string {
  if (event.key.length === 1) return event.key.toLowerCase();
  return event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key;
}
