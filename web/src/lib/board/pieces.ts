import type { Cell, Seat } from '../net/types';

export interface Piece {
  id: number;
  cell: Cell;
  seat: Seat;
  /** Its cell in the view before, if it moved. */
  from?: Cell;
}

/**
 * Gives pieces ids that stay the same while they move, so that the board can animate moves.
 *
 * A view contains only the seat on each cell. A piece that stays or moves (`moves`) keeps its id. A new piece gets the id
 * of a piece of the same seat that disappeared, if there is one.
 */
export function follow(
  before: readonly Piece[],
  now: Record<Cell, Seat>,
  moves: readonly (readonly [Cell, Cell])[] = [],
): Piece[] {
  const old = new Map(before.map((piece) => [piece.cell, piece]));
  let next = before.reduce((most, piece) => Math.max(most, piece.id), 0) + 1;
  for (const [from, to] of moves) {
    const piece = old.get(from);
    // If the same seat already has a piece on the target, this move was applied before.
    if (!piece || old.get(to)?.seat === piece.seat) continue;
    old.delete(from);
    old.set(to, { ...piece, cell: to });
  }
  const placed: Piece[] = [];
  const fresh: [Cell, Seat][] = [];
  for (const [cell, seat] of Object.entries(now)) {
    const piece = old.get(cell);
    if (piece?.seat === seat) {
      placed.push({ id: piece.id, cell, seat });
      old.delete(cell);
    } else fresh.push([cell, seat]);
  }
  const gone = [...old.values()];
  for (const [cell, seat] of fresh) {
    const at = gone.findIndex((piece) => piece.seat === seat);
    const id = at < 0 ? next++ : (gone.splice(at, 1)[0]?.id ?? next++);
    placed.push({ id, cell, seat });
  }
  const cameFrom = new Map(before.map((piece) => [piece.id, piece.cell]));
  return placed
    .map((piece) => {
      const from = cameFrom.get(piece.id);
      return from === undefined || from === piece.cell ? piece : { ...piece, from };
    })
    .sort((a, b) => a.id - b.id);
}

/** Returns `follow` with the last pieces as `before`: call it with each new view. */
export function memoPieces(): (now: Record<Cell, Seat>, moves?: readonly (readonly [Cell, Cell])[]) => Piece[] {
  let known: Piece[] = [];
  return (now, moves) => (known = follow(known, now, moves));
}

/** The moves in a list of actions in notation, for `follow`. */
export function movesIn(actions: readonly string[]): [Cell, Cell][] {
  return actions.flatMap((text) => {
    const found = /^([a-z]\d+)[-x]([a-z]\d+)$/.exec(text);
    return found?.[1] && found[2] ? [[found[1], found[2]] as [Cell, Cell]] : [];
  });
}
