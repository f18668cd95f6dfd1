import { api } from '../net/client';
import type { BoardView, CustomBoard, GameName } from '../net/types';

const known = new Map<string, Promise<BoardView | null>>();

async function ask(game: GameName, name: string): Promise<BoardView | null> {
  const { games } = await api.meta();
  return games[game]?.boards?.some((board) => board.name === name) ? await api.board(name) : null;
}

/** A built-in board of a game by name, requested once; null if there is no built-in board of this name. */
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

/** A custom board as it is sent: with its map and landscapes. */
export function customBoard(view: BoardView): CustomBoard {
  const landscapes = Object.fromEntries(
    (view.letters ?? []).map((letter, i) => [letter, view.landscapes[i] ?? letter]),
  );
  return { name: view.name, map: view.map ?? '', landscapes };
}

/** A board as it is sent: the name of a built-in board, or a custom board. */
export async function sentBoard(game: GameName, view: BoardView): Promise<string | CustomBoard> {
  const builtin = await boardNamed(game, view.name);
  return builtin?.map === view.map ? view.name : customBoard(view);
}
