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

/** How much of its top face a mark takes. Hidden marks have the most common size. */
export function sizeOf(face: Face, isNear: boolean): number {
  if (face === 'capture') return 0.94;
  if (face === 'step') return isNear ? 0.92 : 0.8;
  return isNear ? 0.92 : 0.66;
}

/** What is marked on one top face: where something was done, what can be moved, what a click would do and cost. */
export interface Mark {
  face: Face;
  /** Only the targets of the piece under the pointer. */
  isHint: boolean;
  under: 'none' | 'source' | 'trail';
  /** Points that it costs, where the game has points. */
  cost: number | undefined;
  x: number;
  y: number;
}

const isSame = (a: Mark, b: Mark): boolean =>
  a.face === b.face && a.isHint === b.isHint && a.under === b.under && a.cost === b.cost && a.x === b.x && a.y === b.y;

/** The marks of all cells, memoised: one that did not change is the same object as before. */
export function marker(): (
  layout: Pick<Layout, 'cells' | 'centre'>,
  marked: Pick<Marked, 'targets' | 'hinted' | 'sources' | 'selected'>,
  trodden: ReadonlySet<Cell>,
) => Map<Cell, Mark> {
  const known = new KeyedMemo<Mark>(isSame);
  return (layout, { targets, hinted, sources, selected }, trodden) => {
    const marks = new Map<Cell, Mark>();
    for (const cell of layout.cells) {
      const target = targets.get(cell);
      const wanted = target ?? hinted.get(cell);
      const kind = face(wanted);
      const under = selected === null && sources.has(cell) ? 'source' : trodden.has(cell) ? 'trail' : 'none';
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
