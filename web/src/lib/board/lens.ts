/**
 * A magnifying glass for fingers. If legal cells are closer together than a fingertip, a tap opens it beside the
 * finger, with every cell large enough to tap. This file only computes; `BoardFrame` draws it.
 */

import type { Cell } from '../net/types';
import type { Box, Point } from './types';

/** The distance between cells, in pixels, below which a finger may hit the wrong one. */
export const FINGER = 40;
/** The greatest distance from a cell's centre, in pixels, at which a tap counts for the cell. */
export const REACH = 24;
const PITCH = 50;
const RADIUS = 92;
const GAP = 30;

/** A place under a pointer, in units of the frame and of the drawing, and the size of a pixel in both (`pixel`, `fine`). */
export interface Spot {
  frame: Point;
  drawing: Point;
  pixel: number;
  fine: number;
}

/** The glass: its centre and radius in units of the frame, the point `at` that its centre shows, and its scale. */
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

/** A glass above the finger, below it or, if neither has room, beside it; always inside the frame. */
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

/** The point of the drawing that the glass shows at a point of the frame; null outside the glass. */
export function through(lens: Lens, frame: Point): Point | null {
  const x = frame.x - lens.centre.x;
  const y = frame.y - lens.centre.y;
  if (Math.hypot(x, y) > lens.radius) return null;
  return { x: lens.at.x + x / lens.scale, y: lens.at.y + y / lens.scale };
}

/** The SVG transform of the drawing inside the glass. */
export function magnified(lens: Lens): string {
  const x = lens.centre.x - lens.at.x * lens.scale;
  const y = lens.centre.y - lens.at.y * lens.scale;
  return `translate(${x} ${y}) scale(${lens.scale})`;
}
