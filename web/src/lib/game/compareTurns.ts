/** Compares a turn of an exercise with the turn of the game, as the engine judges both. */

import type { Seat, Verdict } from '../net/types';

/** Two turns whose results differ by less than this part of the win are about as good. */
const ALIKE = 0.03;

/** `found`: as good as the best; else better than, about the same as or worse than the turn of the game. */
export function compareTurns(tried: Verdict, played: Verdict, seat: Seat): 'found' | 'better' | 'same' | 'worse' {
  if (tried.label === 'best' || tried.label === 'good') return 'found';
  const gain = (tried.shares[seat] ?? 0) - (played.shares[seat] ?? 0);
  if (gain >= ALIKE) return 'better';
  return gain > -ALIKE ? 'same' : 'worse';
}
