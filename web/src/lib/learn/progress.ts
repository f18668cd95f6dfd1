/** Which steps of the guided games this browser has done. Without storage nothing is marked. */

import type { GameName } from '../net/types';

const key = (game: GameName) => `terrarium.lesson.${game}`;

export function doneSteps(game: GameName): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key(game)) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

export function keepDone(game: GameName, id: string): string[] {
  const done = [...new Set([...doneSteps(game), id])];
  try {
    localStorage.setItem(key(game), JSON.stringify(done));
  } catch {
    // Storage is full or blocked: the step counts until the page is left.
  }
  return done;
}
