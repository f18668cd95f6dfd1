/** The letters of landscapes in maps. Islands of lessons use them as names of landscapes; `named` replaces them. */

import type { BoardView } from '../../lib/net/types';

export const KEYS: Readonly<Record<string, string>> = {
  D: 'desert',
  F: 'forest',
  H: 'heath',
  L: 'lake',
  M: 'meadow',
  R: 'mountain',
  S: 'swamp',
  W: 'field',
};

export function named(board: BoardView): BoardView {
  return { ...board, landscapes: board.landscapes.map((key) => KEYS[key] ?? key) };
}
