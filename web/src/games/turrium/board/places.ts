import type { Cell } from '../../../lib/net/types';
import type { Point } from '../../../lib/board/types';
import { IsometricLayout, type PlanLayout } from './geometry';

/** The foot of a flag's pole: the middle of the top face; in the top view a corner, so that the height stays readable. */
export function poleAt(layout: IsometricLayout | PlanLayout, cell: Cell): Point {
  const at = layout.centre(cell);
  return layout instanceof IsometricLayout ? at : { x: at.x - 9, y: at.y + 16 };
}
