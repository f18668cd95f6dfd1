/** A review of a game that no server keeps: the engine is asked about one position after the other. */

import { api, Refused } from '../net/client';
import type { Analysis, Review, ReviewTurn } from '../net/types';
import type { Book } from './record';

/** How much of the win a turn may lose to deserve its label; the engine’s own reviews draw the same lines. */
const LABELS: [string, number][] = [
  ['best', 0.01],
  ['good', 0.04],
  ['inaccuracy', 0.1],
  ['mistake', 0.2],
];
const SECONDS = 1;

export function labelOf(loss: number): string {
  return LABELS.find(([, most]) => loss <= most)?.[0] ?? 'blunder';
}

/** What a turn was worth, from the engine’s view of the positions before and after it. */
export function judged(number: number, seat: number, played: readonly string[], before: Pick<Analysis, 'lines'>, after: readonly number[]): ReviewTurn {
  const best = before.lines[0];
  const isBest = !best || best.turn.join() === played.join();
  const loss = isBest ? 0 : Math.max(0, (best.shares[seat] ?? 0) - (after[seat] ?? 0));
  return { number, shares: [...after], loss, label: isBest ? 'best' : labelOf(loss), reason: null, best: best?.turn ?? [] };
}

const pause = (seconds: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    const timer = setTimeout(done, seconds * 1000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      done();
    });
  });

/** The engine’s last word on a position; waits when it has been asked too often. */
async function thought(position: string, signal: AbortSignal): Promise<Analysis> {
  for (;;) {
    try {
      let found: Analysis | null = null;
      for await (const one of api.analyse(position, SECONDS, 1, signal)) found = one;
      if (found) return found;
    } catch (error) {
      if (signal.aborted || !(error instanceof Refused) || error.status !== 429) throw error;
      await pause(Number(error.facts['retry_after'] ?? 2), signal);
    }
  }
}

/** The review as it grows, turn by turn; resignations and the like are no turns to judge. */
export async function* reviewOf(book: Book, signal: AbortSignal): AsyncGenerator<Review> {
  const turns: ReviewTurn[] = [];
  let before: Analysis | null = null;
  for (const [i, turn] of book.turns.entries()) {
    const [start, end] = [book.positions[i], book.positions[i + 1]];
    if (start === undefined || end === undefined || !turn.actions.length) continue;
    before ??= await thought(start, signal);
    const outcome = book.views[i + 1]?.outcome;
    const next: Analysis | null = outcome ? null : await thought(end, signal);
    const after = next?.shares ?? book.seats.map((seat) => (outcome?.winners.includes(seat.seat) ? 1 / outcome.winners.length : 0));
    turns.push(judged(turn.number, turn.seat, turn.actions, before, after));
    before = next;
    yield { status: 'running', turns: [...turns] };
  }
  yield { status: 'done', turns };
}
