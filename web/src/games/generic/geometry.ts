import type { Box, Direction, Layout, Point } from '../../lib/board/types';
import type { Cell } from '../../lib/net/types';
import type { Place } from './view';

/** Drawing units per unit of the server's layout. */
const UNIT = 40;

/** Cells at the coordinates that the server sends, each a square around its centre. */
export class GenericLayout implements Layout {
  readonly cells: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
  readonly box: Box;
  readonly pitch: number;
  private readonly at: ReadonlyMap<Cell, Point>;

  constructor(places: readonly Place[]) {
    this.at = new Map(places.map(({ name, x, y }) => [name, { x: x * UNIT, y: y * UNIT }]));
    const sorted = [...places].sort((a, b) => a.y - b.y || a.x - b.x);
    this.cells = sorted.map((place) => place.name);
    this.rows = [...new Set(sorted.map((place) => place.y))].map((y) =>
      sorted.filter((place) => place.y === y).map((place) => place.name),
    );
    this.pitch = closest([...this.at.values()]);
    const [xs, ys] = [[...this.at.values()].map((at) => at.x), [...this.at.values()].map((at) => at.y)];
    const [left, top] = [Math.min(...xs, 0), Math.min(...ys, 0)];
    const margin = this.pitch * 0.75;
    this.box = {
      x: left - margin,
      y: top - margin,
      width: Math.max(...xs, left) - left + 2 * margin,
      height: Math.max(...ys, top) - top + 2 * margin,
    };
  }

  centre(cell: Cell): Point {
    return this.at.get(cell) ?? { x: 0, y: 0 };
  }

  find(point: Point): Cell | null {
    for (const [cell, { x, y }] of this.at)
      if (Math.max(Math.abs(point.x - x), Math.abs(point.y - y)) <= this.pitch / 2) return cell;
    return null;
  }

  step(cell: Cell, direction: Direction, preferredX: number): Cell {
    const line = this.rows.findIndex((row) => row.includes(cell));
    const row = this.rows[line] ?? [];
    const at = row.indexOf(cell);
    if (direction === 'home') return row[0] ?? cell;
    if (direction === 'end') return row.at(-1) ?? cell;
    if (direction === 'left' || direction === 'right') return row[at + (direction === 'left' ? -1 : 1)] ?? cell;
    const next = this.rows[line + (direction === 'up' ? -1 : 1)] ?? [];
    return (
      [...next].sort((a, b) => Math.abs(this.centre(a).x - preferredX) - Math.abs(this.centre(b).x - preferredX))[0] ??
      cell
    );
  }

  /** The outline of a cell. */
  square(cell: Cell, size: number): string {
    const { x, y } = this.centre(cell);
    const half = (this.pitch / 2) * size;
    return `M${x - half} ${y - half}h${2 * half}v${2 * half}h${-2 * half}z`;
  }
}

/** The distance between the two cells that are nearest to each other. */
function closest(points: readonly Point[]): number {
  let least = Infinity;
  for (const [i, a] of points.entries())
    for (const b of points.slice(i + 1)) least = Math.min(least, Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y)));
  return Number.isFinite(least) && least > 0 ? least : UNIT;
}
