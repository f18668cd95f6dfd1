/** Islands painted in this browser, in its storage. */

import { keep, kept } from '../../lib/game/storage';
import type { CustomBoard } from '../../lib/net/types';

const KEY = 'terrarium.boards.nova';
const MOST = 50;

export const ownBoards = (): CustomBoard[] => kept<CustomBoard[]>(KEY) ?? [];

/** Stores a board; replaces one with the same name. */
export function keepBoard(board: CustomBoard): void {
  keep(KEY, [board, ...ownBoards().filter((other) => other.name !== board.name)].slice(0, MOST));
}

/** The board as a file that `terrarium board` and the form for a new game read. */
export function tomlOf(board: CustomBoard): string {
  const keys = Object.entries(board.landscapes).map(([letter, key]) => `${letter} = ${JSON.stringify(key)}`);
  return `name = ${JSON.stringify(board.name)}\nmap = '''\n${board.map}\n'''\n\n[landscapes]\n${keys.join('\n')}\n`;
}
