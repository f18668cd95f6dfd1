import type { Cell } from '../../../lib/net/types';
import type { Point } from '../../../lib/board/types';
import { IsometricLayout, type PlanLayout } from './geometry';

/** Where a flag's pole stands: in the middle of a top face; from above in a corner, so that the height stays readable. */
export function stands(layout: IsometricLayout | PlanLayout, cell: Cell): Point {
  const at = layout.centre(cell);
  return layout instanceof IsometricLayout ? at : { x: at.x - 9, y: at.y + 16 };
}
