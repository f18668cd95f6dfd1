import type { Cell, Seat } from '../net/types';

export interface Piece {
  id: number;
  cell: Cell;
  seat: Seat;
  /** Where it stood a moment ago, if it just came here. */
  from?: Cell;
}

/**
 * Gives pieces an identity that lasts while they move, so that they slide instead of blinking.
 *
 * A view only says which seat stands where. A piece that stays or moved (`moves`) keeps its id. A new piece gets the id
 * of a vanished one of the same seat, if there is one.
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
    // If the target already belongs to the same seat, the move was followed before: don't apply it twice.
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

/** `follow` that remembers the last pieces: call it with each new view. */
export function follower(): (now: Record<Cell, Seat>, moves?: readonly (readonly [Cell, Cell])[]) => Piece[] {
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
