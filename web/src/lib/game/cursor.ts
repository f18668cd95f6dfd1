/** A place in a game's history: after a turn, or after some actions of the turn that follows it. */

import type { Turn } from '../net/types';

export interface Cursor {
  turn: number;
  /** How many actions of the next turn are done; 0 between turns. */
  done: number;
}

/** The cursor one action further or back. */
export function stepped({ turn, done }: Cursor, by: 1 | -1, turns: readonly Pick<Turn, 'actions'>[]): Cursor {
  if (by > 0) {
    const next = turns[turn];
    if (!next) return { turn, done: 0 };
    return done + 1 < next.actions.length ? { turn, done: done + 1 } : { turn: turn + 1, done: 0 };
  }
  if (done > 0) return { turn, done: done - 1 };
  const last = turns[turn - 1];
  return last ? { turn: turn - 1, done: Math.max(0, last.actions.length - 1) } : { turn: 0, done: 0 };
}

/** The number of the turn one further or back; from within a turn, back to its beginning. */
export const turned = ({ turn, done }: Cursor, by: 1 | -1): number => (by > 0 ? turn + 1 : done ? turn : turn - 1);
