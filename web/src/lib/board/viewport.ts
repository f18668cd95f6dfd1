import type { Box, Point } from './types';

/** How a board is zoomed and shifted inside its frame. The board applies `transform`. */
export interface Zoom {
  scale: number;
  x: number;
  y: number;
}

export const WHOLE: Zoom = { scale: 1, x: 0, y: 0 };
const MOST = 4;

/** Limits a zoom so that the drawing always covers its frame. */
export function within(zoom: Zoom, box: Box): Zoom {
  const scale = Math.min(MOST, Math.max(1, zoom.scale));
  const clamp = (value: number, start: number, size: number) =>
    Math.min(start - start * scale, Math.max(start + size - (start + size) * scale, value));
  return { scale, x: clamp(zoom.x, box.x, box.width), y: clamp(zoom.y, box.y, box.height) };
}

/** Zooms by a factor around one point of the frame, which stays in place. */
export function zoomed(zoom: Zoom, factor: number, at: Point, box: Box): Zoom {
  const scale = Math.min(MOST, Math.max(1, zoom.scale * factor));
  const ratio = scale / zoom.scale;
  return within({ scale, x: at.x - (at.x - zoom.x) * ratio, y: at.y - (at.y - zoom.y) * ratio }, box);
}

export function panned(zoom: Zoom, dx: number, dy: number, box: Box): Zoom {
  return within({ ...zoom, x: zoom.x + dx, y: zoom.y + dy }, box);
}

/** The point of the drawing that lies under a point of the frame. */
export function inside(zoom: Zoom, at: Point): Point {
  return { x: (at.x - zoom.x) / zoom.scale, y: (at.y - zoom.y) / zoom.scale };
}

export function transform(zoom: Zoom): string {
  return `translate(${zoom.x.toFixed(2)} ${zoom.y.toFixed(2)}) scale(${zoom.scale.toFixed(4)})`;
}
