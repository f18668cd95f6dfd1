import { api } from '../net/client';
import type { BoardView, CustomBoard, GameName } from '../net/types';

const known = new Map<string, Promise<BoardView | null>>();

async function ask(game: GameName, name: string): Promise<BoardView | null> {
  const { games } = await api.meta();
  return games[game]?.boards?.some((board) => board.name === name) ? await api.board(name) : null;
}

/** A built-in board of a game by name, asked once; null for a board that somebody drew. */
export function boardNamed(game: GameName, name: string): Promise<BoardView | null> {
  const key = `${game} ${name}`;
  let board = known.get(key);
  if (!board) {
    board = ask(game, name).catch(() => {
      known.delete(key);
      return null;
    });
    known.set(key, board);
  }
  return board;
}

/** A board as it is sent with everything that is drawn of it. */
export function customBoard(view: BoardView): CustomBoard {
  const landscapes = Object.fromEntries(
    (view.letters ?? []).map((letter, i) => [letter, view.landscapes[i] ?? letter]),
  );
  return { name: view.name, map: view.map ?? '', landscapes };
}

/** A board as it is sent: a built-in one by its name. */
export async function sentBoard(game: GameName, view: BoardView): Promise<string | CustomBoard> {
  const builtin = await boardNamed(game, view.name);
  return builtin?.map === view.map ? view.name : customBoard(view);
}
