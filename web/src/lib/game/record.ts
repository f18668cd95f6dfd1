/** A game to look through: from a file or from the server, the same shape. */

import { api } from '../net/client';
import type { BoardView, GameName, Outcome, ReadRecord, Rules, SeatView, Turn, View } from '../net/types';

export interface Book {
  game: GameName;
  rules: Rules;
  board: BoardView | null;
  seats: SeatView[];
  start: string;
  turns: Turn[];
  /** The view before the first turn and after each. */
  views: View[];
  positions: string[];
  outcome: Outcome | null;
}

const COLOURS = ['yellow', 'red', 'blue', 'green'];

export function bookOf(read: ReadRecord, seats?: SeatView[]): Book {
  const views = [read.start_view];
  const positions = [read.start];
  for (const turn of read.turns) {
    views.push(turn.view ?? (views.at(-1) as View));
    positions.push(turn.position ?? (positions.at(-1) as string));
  }
  const named: SeatView[] = read.seats.map((name, seat) => ({
    seat,
    kind: 'device',
    name: name || null,
    level: null,
    is_taken: true,
    is_connected: false,
    colour: COLOURS[seat] ?? 'yellow',
    resigned: false,
  }));
  return {
    game: read.game,
    rules: read.rules,
    board: read.board,
    seats: seats ?? named,
    start: read.start,
    turns: read.turns,
    views,
    positions,
    outcome: read.outcome,
  };
}

export async function readBook(text: string, seats?: SeatView[]): Promise<Book> {
  return bookOf(await api.readRecord(text), seats);
}
