/** A review of a game from a file: asks the engine about one turn after the other. */

import { api, Refused } from '../net/client';
import type { Review, ReviewTurn, Verdict } from '../net/types';
import type { Book } from './record';

const pause = (seconds: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    const timer = setTimeout(done, seconds * 1000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      done();
    });
  });

/** The engine's verdict on a turn. Waits and repeats the request if there were too many. */
async function judged(position: string, actions: string[], signal: AbortSignal): Promise<Verdict> {
  for (;;) {
    try {
      return await api.judge(position, actions, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof Refused) || error.status !== 429) throw error;
      await pause(Number(error.facts['retry_after'] ?? 2), signal);
    }
  }
}

/** The review so far, after each turn. Entries without actions, such as resignations, are not judged. */
export async function* reviewOf(book: Book, signal: AbortSignal): AsyncGenerator<Review> {
  const turns: ReviewTurn[] = [];
  for (const [i, turn] of book.turns.entries()) {
    const position = book.positions[i];
    if (position === undefined || !turn.actions.length) continue;
    turns.push({ number: turn.number, ...(await judged(position, turn.actions, signal)) });
    yield { status: 'running', turns: [...turns] };
  }
  yield { status: 'done', turns };
}
