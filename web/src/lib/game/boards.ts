import { api } from '../net/client';
import type { BoardView } from '../net/types';

const known = new Map<string, Promise<BoardView | null>>();

/** A board by name, asked once; null where the server has no board of that name. */
export function boardNamed(name: string): Promise<BoardView | null> {
  let board = known.get(name);
  if (!board) known.set(name, (board = api.board(name).catch(() => null)));
  return board;
}
