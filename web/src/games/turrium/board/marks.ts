import type { Cell } from '../../../lib/net/types';
import { KeyedMemo } from '../../../lib/board/memo';
import type { Layout, Marked, Target } from '../../../lib/board/types';

export type Face = 'none' | 'spot' | 'step' | 'capture';

/** How a target is marked: as a place for cubes and flags, as a step, or as a capture. */
export function face(target: Target | undefined): Face {
  if (!target) return 'none';
  if (target.kind === 'capture') return 'capture';
  return ['take', 'cube', 'flag'].includes(target.kind) ? 'spot' : 'step';
}

/** The size of a mark as a part of its top face. `none` has the most common size, so that its path rarely changes. */
export function sizeOf(face: Face, isNear: boolean): number {
  if (face === 'capture') return 0.94;
  if (face === 'step') return isNear ? 0.92 : 0.8;
  return isNear ? 0.92 : 0.66;
}

/** The marks of one top face: the trail of the last turn, a piece that can move, what a click would do and its cost. */
export interface Mark {
  face: Face;
  /** Whether it is a target of the piece under the pointer, which is not selected. */
  isHint: boolean;
  under: 'none' | 'source' | 'trail';
  /** The points that it costs. */
  cost: number | undefined;
  x: number;
  y: number;
}

const isSame = (a: Mark, b: Mark): boolean =>
  a.face === b.face && a.isHint === b.isHint && a.under === b.under && a.cost === b.cost && a.x === b.x && a.y === b.y;

/** Returns a memoised function for the marks of all cells: an unchanged mark stays the same object. */
export function memoMarks(): (
  layout: Pick<Layout, 'cells' | 'centre'>,
  marked: Pick<Marked, 'targets' | 'hinted' | 'sources' | 'selected'>,
  trail: ReadonlySet<Cell>,
) => Map<Cell, Mark> {
  const known = new KeyedMemo<Mark>(isSame);
  return (layout, { targets, hinted, sources, selected }, trail) => {
    const marks = new Map<Cell, Mark>();
    for (const cell of layout.cells) {
      const target = targets.get(cell);
      const wanted = target ?? hinted.get(cell);
      const kind = face(wanted);
      const under = selected === null && sources.has(cell) ? 'source' : trail.has(cell) ? 'trail' : 'none';
      const { x, y } = layout.centre(cell);
      marks.set(
        cell,
        known.keep(cell, {
          face: kind,
          isHint: !target && wanted !== undefined,
          under,
          cost: target || kind === 'capture' ? wanted?.cost : undefined,
          x,
          y,
        }),
      );
    }
    return marks;
  };
}
