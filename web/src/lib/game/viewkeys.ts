/** The keys that change how a board is seen, wherever there is one to study or play on. */

import { pageOf } from '../../games/index.svelte';
import type { GameName } from '../net/types';

export function viewKeys(game: GameName | undefined, rotate: () => void): Record<string, () => void> {
  return { r: rotate, ...(game === undefined ? {} : pageOf(game)?.keys) };
}

/** A key as shortcuts are written: letters in lower case, arrows with the shift key. */
export function keyName(event: KeyboardEvent): string {
  if (event.key.length === 1) return event.key.toLowerCase();
  return event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key;
}
