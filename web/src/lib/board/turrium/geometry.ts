import type { Cell } from '../../net/types';
import type { Box, Direction, Layout, Point } from '../types';

/** Width and height of a cell's diamond and the height of a cube, in drawing units. */
export const WIDE = 64;
export const DEEP = 32;
export const TALL = 22;
export const SQUARE = 48;
/** How far above its construction a flag reaches. */
export const POLE = 34;

export interface Place {
  column: number;
  row: number;
}

export function place(cell: Cell): Place {
  return { column: cell.charCodeAt(0) - 97, row: Number(cell.slice(1)) - 1 };
}

export function name({ column, row }: Place): Cell {
  return `${String.fromCharCode(97 + column)}${row + 1}`;
}

const SIZE = 10;

/** The place a cell takes on the board as seen after `quarters` turns clockwise. */
export function turned({ column, row }: Place, quarters: number): Place {
  let at = { column, row };
  for (let i = 0; i < ((quarters % 4) + 4) % 4; i++) at = { column: at.row, row: SIZE - 1 - at.column };
  return at;
}

abstract class SquareLayout implements Layout {
  readonly cells: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
  abstract readonly box: Box;
  abstract readonly pitch: number;
  protected readonly seen = new Map<Cell, Place>();
  protected readonly bySeen = new Map<string, Cell>();

  constructor(
    cells: readonly Cell[],
    readonly quarters: number,
  ) {
    this.cells = cells;
    const rows = new Map<number, Cell[]>();
    for (const cell of cells) {
      const at = turned(place(cell), quarters);
      this.seen.set(cell, at);
      this.bySeen.set(`${at.column},${at.row}`, cell);
      rows.set(at.row, [...(rows.get(at.row) ?? []), cell]);
    }
    const column = (cell: Cell) => this.seen.get(cell)?.column ?? 0;
    this.rows = [...rows.entries()]
      .sort(([a], [b]) => b - a)
      .map(([, row]) => row.sort((a, b) => column(a) - column(b)));
  }

  abstract centre(cell: Cell): Point;
  abstract find(point: Point): Cell | null;

  step(cell: Cell, direction: Direction): Cell {
    const at = this.seen.get(cell);
    if (!at) return cell;
    if (direction === 'home' || direction === 'end') {
      const row = this.rows.find((line) => line.includes(cell)) ?? [];
      return (direction === 'home' ? row[0] : row.at(-1)) ?? cell;
    }
    const [dc, dr] = { left: [-1, 0], right: [1, 0], up: [0, 1], down: [0, -1] }[direction] as [number, number];
    return this.bySeen.get(`${at.column + dc},${at.row + dr}`) ?? cell;
  }
}

/** The board as a landscape of towers, seen from its bottom left corner. */
export class IsometricLayout extends SquareLayout {
  readonly box: Box;
  readonly pitch = Math.hypot(WIDE, DEEP) / 2;
  /** Back to front: who is drawn later hides who was drawn before. */
  readonly order: readonly Cell[];

  constructor(
    cells: readonly Cell[],
    quarters: number,
    readonly heights: Readonly<Record<Cell, number>>,
    private readonly flags: Readonly<Record<Cell, number>> = {},
    tallest = 0,
  ) {
    super(cells, quarters);
    this.order = [...cells].sort((a, b) => this.depth(a) - this.depth(b));
    const grounds = cells.map((cell) => this.ground(cell));
    const high = Math.max(tallest, ...Object.values(heights), 0);
    const left = Math.min(...grounds.map((at) => at.x)) - WIDE / 2 - 18;
    const top = Math.min(...grounds.map((at) => at.y)) - DEEP / 2 - Math.max(1.4, high - 2) * TALL - POLE;
    this.box = {
      x: left,
      y: top,
      width: Math.max(...grounds.map((at) => at.x)) + WIDE / 2 + 18 - left,
      height: Math.max(...grounds.map((at) => at.y)) + DEEP / 2 + 26 - top,
    };
  }

  depth(cell: Cell): number {
    const at = this.seen.get(cell);
    return at ? 2 * SIZE - at.column - at.row : 0;
  }

  /** The middle of the cell on the ground. */
  ground(cell: Cell): Point {
    const at = this.seen.get(cell) ?? { column: 0, row: 0 };
    return { x: ((at.column - at.row) * WIDE) / 2, y: (-(at.column + at.row) * DEEP) / 2 };
  }

  /** The middle of the top face. */
  centre(cell: Cell): Point {
    const at = this.ground(cell);
    return { x: at.x, y: at.y - (this.heights[cell] ?? 0) * TALL };
  }

  /**
   * The frontmost column (or flag) that covers the point. If that one does not matter, a top face behind it that does
   * wins: a tower that nothing can be done with takes no click from the cell it hides.
   */
  find(point: Point, matters?: (cell: Cell) => boolean): Cell | null {
    const front = this.front(point);
    if (!matters || (front !== null && matters(front))) return front;
    let best = front;
    let nearest = 1;
    for (const cell of this.cells) {
      if (!matters(cell)) continue;
      const at = this.centre(cell);
      // Distance in the shape of a face: 0 in its middle, 1 on its edge.
      const distance = Math.abs(point.x - at.x) / (WIDE / 2) + Math.abs(point.y - at.y) / (DEEP / 2);
      if (distance <= nearest) {
        nearest = distance;
        best = cell;
      }
    }
    return best;
  }

  /** Whether something in front hides the middle of a cell's top face. */
  isHidden(cell: Cell): boolean {
    return this.front(this.centre(cell)) !== cell;
  }

  private front(point: Point): Cell | null {
    for (let i = this.order.length - 1; i >= 0; i--) {
      const cell = this.order[i] as Cell;
      const at = this.ground(cell);
      const dx = Math.abs(point.x - at.x);
      if (dx > WIDE / 2) continue;
      const reach = (WIDE / 2 - dx) * (DEEP / WIDE);
      const top = at.y - (this.heights[cell] ?? 0) * TALL;
      if (point.y >= top - reach && point.y <= at.y + reach) return cell;
      if (cell in this.flags && dx < 13 && point.y < top && point.y > top - POLE) return cell;
    }
    return null;
  }
}

/** The board seen from straight above. */
export class PlanLayout extends SquareLayout {
  readonly box: Box;
  readonly pitch = SQUARE;

  constructor(cells: readonly Cell[], quarters: number) {
    super(cells, quarters);
    const centres = cells.map((cell) => this.centre(cell));
    const xs = centres.map((at) => at.x);
    const ys = centres.map((at) => at.y);
    const margin = SQUARE / 2 + 22;
    this.box = {
      x: Math.min(...xs) - margin,
      y: Math.min(...ys) - margin,
      width: Math.max(...xs) - Math.min(...xs) + 2 * margin,
      height: Math.max(...ys) - Math.min(...ys) + 2 * margin,
    };
  }

  centre(cell: Cell): Point {
    const at = this.seen.get(cell) ?? { column: 0, row: 0 };
    return { x: at.column * SQUARE, y: -at.row * SQUARE };
  }

  find(point: Point): Cell | null {
    return this.bySeen.get(`${Math.round(point.x / SQUARE)},${Math.round(-point.y / SQUARE)}`) ?? null;
  }
}
