/** Islands drawn for learning name their landscapes by the letters of the built-in boards. */

import type { BoardView } from '../net/types';

const KEYS: Record<string, string> = { D: 'desert', F: 'forest', H: 'heath', L: 'lake', M: 'meadow', R: 'mountain', S: 'swamp', W: 'field' };

export function named(board: BoardView | null | undefined): BoardView | null {
  return board ? { ...board, landscapes: board.landscapes.map((key) => KEYS[key] ?? key) } : null;
}
