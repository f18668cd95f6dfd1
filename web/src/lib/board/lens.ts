/**
 * A magnifying glass for fingers. Where legal cells lie closer together than a fingertip, a tap opens it beside the
 * finger; in it every cell is large enough to be hit. Pure arithmetic; the frame draws it.
 */

import type { Cell } from '../net/types';
import type { Box, Point } from './types';

/** Pixels that a finger needs to hit one thing and not the next. */
export const FINGER = 40;
/** How far from a cell's centre, in pixels, a finger still means it. */
export const REACH = 24;
const PITCH = 50;
const RADIUS = 92;
const GAP = 30;

/** A place under a pointer: in units of the frame, in units of the drawing, and what a pixel is in each. */
export interface Spot {
  frame: Point;
  drawing: Point;
  pixel: number;
  fine: number;
}

/** Where the glass lies (in units of the frame), what its middle shows, and how much larger. */
export interface Lens {
  centre: Point;
  radius: number;
  at: Point;
  scale: number;
}

/** The cells that a finger at this place could mean, nearest first. */
export function within(cells: Iterable<Cell>, centre: (cell: Cell) => Point, at: Point, reach: number): Cell[] {
  const found: [number, Cell][] = [];
  for (const cell of cells) {
    const c = centre(cell);
    const distance = Math.hypot(c.x - at.x, c.y - at.y);
    if (distance <= reach) found.push([distance, cell]);
  }
  return found.sort(([a], [b]) => a - b).map(([, cell]) => cell);
}

/** A glass above the finger, below it, or where neither has room beside it; never outside of the frame. */
export function lensAt(spot: Spot, pitch: number, box: Box): Lens {
  const radius = RADIUS * spot.pixel;
  const away = (RADIUS + GAP) * spot.pixel;
  const [right, bottom] = [box.x + box.width, box.y + box.height];
  const { x, y } = spot.frame;
  const inside = (at: number, from: number, to: number) => Math.max(from + radius, Math.min(to - radius, at));
  const centre = { x: inside(x, box.x, right), y: y - away };
  if (y - away - radius < box.y) centre.y = y + away;
  if (centre.y + radius > bottom) {
    centre.y = inside(y, box.y, bottom);
    centre.x = inside(right - x > x - box.x ? x + away : x - away, box.x, right);
  }
  return { centre, radius, at: spot.drawing, scale: (PITCH * spot.pixel) / pitch };
}

/** The point of the drawing that the glass shows there; null beside the glass. */
export function through(lens: Lens, frame: Point): Point | null {
  const x = frame.x - lens.centre.x;
  const y = frame.y - lens.centre.y;
  if (Math.hypot(x, y) > lens.radius) return null;
  return { x: lens.at.x + x / lens.scale, y: lens.at.y + y / lens.scale };
}

/** How the drawing is moved and enlarged to appear in the glass. */
export function magnified(lens: Lens): string {
  const x = lens.centre.x - lens.at.x * lens.scale;
  const y = lens.centre.y - lens.at.y * lens.scale;
  return `translate(${x} ${y}) scale(${lens.scale})`;
}
