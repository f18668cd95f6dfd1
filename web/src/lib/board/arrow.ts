import type { Point } from './types';

/** How far before the middle of the last cell the line ends, to leave room for the head. */
const SHORT = 7;

/** An arrow between two points: the path of its line, and the transform of its head. */
export function arrowPath(a: Point, b: Point): { line: string; head: string } {
  const cut = SHORT / (Math.hypot(b.x - a.x, b.y - a.y) || 1);
  const angle = (Math.atan2(b.y - a.y, b.x - a.x) * 180) / Math.PI;
  return {
    line: `M${a.x} ${a.y}L${b.x - (b.x - a.x) * cut} ${b.y - (b.y - a.y) * cut}`,
    head: `translate(${b.x} ${b.y}) rotate(${angle})`,
  };
}
