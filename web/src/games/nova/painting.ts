/** An island being painted: the landscape of each place that is land. */

import type { BoardCell, BoardView } from '../../lib/net/types';
import { KEYS } from './letters';

/** A place of the map: its row and column. */
export interface Place {
  row: number;
  x: number;
}

/** The letter of the landscape of each place, by `placeKey`. */
export type Painting = ReadonlyMap<string, string>;

const MOST_ROWS = 26;
const MOST_WIDE = 2 * 64;

export const placeKey = ({ row, x }: Place): string => `${row},${x}`;

function placeOf(key: string): Place {
  const [row = 0, x = 0] = key.split(',').map(Number);
  return { row, x };
}

/** A board as a painting. Landscapes without a letter of ours get one that the board does not use. */
export function paintingOf(board: BoardView): Painting {
  const letters = new Map(Object.entries(KEYS).map(([letter, key]) => [key, letter]));
  const free = Object.keys(KEYS).filter((letter) => !board.landscapes.includes(KEYS[letter] ?? ''));
  const given = board.landscapes.map((key) => letters.get(key) ?? free.shift() ?? 'M');
  return new Map(board.cells.map((cell) => [placeKey(cell), given[cell.landscape] ?? 'M']));
}

/** The painting as a map, without empty rows and columns around it. */
export function mapOf(painting: Painting): string {
  const places = [...painting.keys()].map(placeOf);
  if (!places.length) return '';
  const top = Math.min(...places.map(({ row }) => row));
  const bottom = Math.max(...places.map(({ row }) => row));
  const left = Math.min(...places.map(({ x }) => x));
  const right = Math.max(...places.map(({ x }) => x));
  const lines: string[] = [];
  for (let row = top; row <= bottom; row++) {
    let line = '';
    for (let x = left; x <= right; x++) line += painting.get(placeKey({ row, x })) ?? ' ';
    lines.push(line.trimEnd());
  }
  return lines.join('\n');
}

/** Every place that can be painted: the island and a shore of one cell around it. */
export function places(painting: Painting): Place[] {
  const land = [...painting.keys()].map(placeOf);
  const rows = land.length ? land.map(({ row }) => row) : [0, 5];
  const xs = land.length ? land.map(({ x }) => x) : [0, 12];
  const parity = land[0] ? (land[0].row + land[0].x) & 1 : 0;
  const [top, bottom] = [Math.min(...rows), Math.max(...rows)];
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const row = bottom - top + 1 < MOST_ROWS ? 1 : 0;
  const side = right - left + 2 < MOST_WIDE - (bottom - top) ? 2 : 0;
  const found: Place[] = [];
  for (let at = top - row; at <= bottom + row; at++)
    for (let x = left - side; x <= right + side; x++) if (((at + x) & 1) === parity) found.push({ row: at, x });
  return found;
}

/** The painting as a board to draw; the names of its cells are the keys of their places. */
export function drawnBoard(painting: Painting, name: string): BoardView {
  const letters = [...new Set(painting.values())].sort();
  const cells = [...painting].map(([key, letter]): BoardCell => ({
    name: key,
    ...placeOf(key),
    landscape: letters.indexOf(letter),
  }));
  const landscapes = letters.map((letter) => KEYS[letter] ?? letter);
  return { name, author: '', note: '', map: mapOf(painting), letters, landscapes, cells };
}

/** The painting with one place changed; `null` makes it sea. */
export function paint(painting: Painting, key: string, letter: string | null): Painting {
  if ((painting.get(key) ?? null) === letter) return painting;
  const next = new Map(painting);
  if (letter === null) next.delete(key);
  else next.set(key, letter);
  return next;
}
