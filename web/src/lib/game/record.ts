/** A complete game with all its positions, from a file or from the server. */

import { loadPage } from '../../games/index.svelte';
import { api } from '../net/client';
import type { BoardView, GameName, Outcome, ReadRecord, Rules, SeatView, Turn, View } from '../net/types';
import { unseated } from './seats';

export interface Book {
  game: GameName;
  rules: Rules;
  board: BoardView | null;
  seats: SeatView[];
  start: string;
  turns: Turn[];
  resignations: ReadRecord['resignations'];
  /** The views before the first turn and after each turn. */
  views: View[];
  positions: string[];
  outcome: Outcome | null;
}

export function bookOf(read: ReadRecord, seats?: SeatView[]): Book {
  const views = [read.start_view];
  const positions = [read.start];
  for (const turn of read.turns) {
    views.push(turn.view ?? (views.at(-1) as View));
    positions.push(turn.position ?? (positions.at(-1) as string));
  }
  return {
    game: read.game,
    rules: read.rules,
    board: read.board,
    seats: seats ?? unseated(read.seats.length, read.seats),
    start: read.start,
    turns: read.turns,
    resignations: read.resignations,
    views,
    positions,
    outcome: read.outcome,
  };
}

/** A game from the server. */
export async function gameBook(id: string, seats: SeatView[]): Promise<Book> {
  return loaded(await api.turns(id), seats);
}

/** A game from a text. */
export async function readBook(text: string): Promise<Book> {
  return loaded(await api.readRecord(text));
}

async function loaded(read: ReadRecord, seats?: SeatView[]): Promise<Book> {
  await loadPage(read.game);
  return bookOf(read, seats);
}
