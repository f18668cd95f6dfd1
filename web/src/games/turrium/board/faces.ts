/** The outlines that cubes and cells are drawn with. */

import type { Point } from '../../../lib/board/types';
import { FLAT, HALF, SQUARE, TALL } from './geometry';

/** The three faces of a cube whose top face is centred at the origin. */
export const LEFT = `M${-HALF} 0L0 ${FLAT}V${FLAT + TALL}L${-HALF} ${TALL}Z`;
export const RIGHT = `M${HALF} 0L0 ${FLAT}V${FLAT + TALL}L${HALF} ${TALL}Z`;
export const TOP = diamond({ x: 0, y: 0 });

/** Rounds to two digits: browsers parse short numbers faster, and boards are drawn often. */
function short(value: number): number {
  return Math.round(value * 100) / 100;
}

export function diamond(at: Point, size = 1): string {
  const w = short(HALF * size);
  const d = short(FLAT * size);
  return `M${at.x} ${short(at.y - d)}l${w} ${d} ${-w} ${d} ${-w} ${-d}z`;
}

export function square(at: Point, size = 1): string {
  const s = short((SQUARE / 2) * size);
  return `M${short(at.x - s)} ${short(at.y - s)}h${2 * s}v${2 * s}h${-2 * s}Z`;
}
