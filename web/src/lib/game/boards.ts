import { api } from '../net/client';
import type { BoardView } from '../net/types';

const known = new Map<string, Promise<BoardView | null>>();

async function ask(name: string): Promise<BoardView | null> {
  const { games } = await api.meta();
  return games.nova.boards?.some((board) => board.name === name) ? await api.board(name) : null;
}

/** A board of the house by name, asked once; null for a board that somebody drew. */
export function boardNamed(name: string): Promise<BoardView | null> {
  let board = known.get(name);
  if (!board) {
    board = ask(name).catch(() => {
      known.delete(name);
      return null;
    });
    known.set(name, board);
  }
  return board;
}
