/** The outlines that cubes and cells are drawn with. */

import type { Point } from '../types';
import { FLAT, HALF, SQUARE, TALL } from './geometry';

/** The three faces of a cube whose top face is centred at the origin. */
export const LEFT = `M${-HALF} 0L0 ${FLAT}V${FLAT + TALL}L${-HALF} ${TALL}Z`;
export const RIGHT = `M${HALF} 0L0 ${FLAT}V${FLAT + TALL}L${HALF} ${TALL}Z`;
export const TOP = diamond({ x: 0, y: 0 });

export function diamond(at: Point, size = 1): string {
  const w = HALF * size;
  const d = FLAT * size;
  return `M${at.x} ${at.y - d}L${at.x + w} ${at.y}L${at.x} ${at.y + d}L${at.x - w} ${at.y}Z`;
}

export function square(at: Point, size = 1): string {
  const s = (SQUARE / 2) * size;
  return `M${at.x - s} ${at.y - s}h${2 * s}v${2 * s}h${-2 * s}Z`;
}
