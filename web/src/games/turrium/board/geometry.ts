import type { Cell } from '../../../lib/net/types';
import type { Box, Direction, Layout, Point } from '../../../lib/board/types';

/** Width and height of a cell's diamond and the height of a cube, in drawing units. */
export const WIDE = 64;
export const DEEP = 32;
export const TALL = 22;
export const HALF = WIDE / 2;
export const FLAT = DEEP / 2;
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

/** The place of a cell on the board after `quarters` clockwise quarter turns. */
export function turned({ column, row }: Place, quarters: number): Place {
  let at = { column, row };
  for (let i = 0; i < ((quarters % 4) + 4) % 4; i++) at = { column: at.row, row: SIZE - 1 - at.column };
  return at;
}

/** The cells of a turned board: the part of a layout that does not depend on cubes. */
export class Floor {
  readonly rows: readonly (readonly Cell[])[];
  /** Back to front: cells drawn later hide those drawn before. */
  readonly order: readonly Cell[];
  readonly seen = new Map<Cell, Place>();
  /** Two opposite corners of the box around all cells, in the 3D view. */
  readonly extent: readonly Point[];
  private readonly bySeen = new Map<string, Cell>();
  readonly grounds: Map<Cell, Point> = new Map();
  private readonly before = new Map<Cell, readonly Cell[]>();

  constructor(
    readonly cells: readonly Cell[],
    readonly quarters: number,
  ) {
    const rows = new Map<number, Cell[]>();
    for (const cell of cells) {
      const at = turned(place(cell), quarters);
      this.seen.set(cell, at);
      this.bySeen.set(`${at.column},${at.row}`, cell);
      this.grounds.set(cell, { x: ((at.column - at.row) * WIDE) / 2, y: (-(at.column + at.row) * DEEP) / 2 });
      rows.set(at.row, [...(rows.get(at.row) ?? []), cell]);
    }
    const column = (cell: Cell) => this.seen.get(cell)?.column ?? 0;
    this.rows = [...rows.entries()]
      .sort(([a], [b]) => b - a)
      .map(([, row]) => row.sort((a, b) => column(a) - column(b)));
    const all = [...this.grounds.values()];
    const [xs, ys] = [all.map((at) => at.x), all.map((at) => at.y)];
    this.extent = [
      { x: Math.min(...xs), y: Math.min(...ys) },
      { x: Math.max(...xs), y: Math.max(...ys) },
    ];
    this.order = [...cells].sort((a, b) => this.ground(a).y - this.ground(b).y);
    this.order.forEach((cell, i) => {
      const { x } = this.ground(cell);
      this.before.set(
        cell,
        this.order.slice(i + 1).filter((other) => Math.abs(this.ground(other).x - x) <= HALF),
      );
    });
  }

  /** The cells in front of a cell, whose towers may hide it. */
  inFront(cell: Cell): readonly Cell[] {
    return this.before.get(cell) ?? [];
  }

  at(column: number, row: number): Cell | null {
    return this.bySeen.get(`${column},${row}`) ?? null;
  }

  /** The middle of the cell on the ground, in the 3D view. */
  ground(cell: Cell): Point {
    return this.grounds.get(cell) ?? { x: 0, y: 0 };
  }

  /** The middle of the cell in the top view. */
  flat(cell: Cell): Point {
    const at = this.seen.get(cell) ?? { column: 0, row: 0 };
    return { x: at.column * SQUARE, y: -at.row * SQUARE };
  }
}

const floors = new Map<string, Floor>();

/** The floor of a board, cached for each of its four orientations. */
export function floorOf(cells: readonly Cell[], quarters: number): Floor {
  const key = `${quarters} ${cells.join(' ')}`;
  let floor = floors.get(key);
  if (!floor) floors.set(key, (floor = new Floor(cells, quarters)));
  return floor;
}

/**
 * The number of quarter turns that brings some cells nearest to the reader: nearest on average and, if two
 * orientations are equal, the one whose frontmost cell is nearer.
 */
export function quartersFor(cells: readonly Cell[], near: readonly Cell[], is3D: boolean): number {
  if (!near.length) return 0;
  let [best, quarters] = [-Infinity, 0];
  for (let turn = 0; turn < 4; turn++) {
    const floor = floorOf(cells, turn);
    const depths = near.map((cell) => (is3D ? floor.ground(cell) : floor.flat(cell)).y);
    const depth = depths.reduce((sum, y) => sum + y, 0) / near.length + Math.max(...depths) / 1000;
    if (depth > best + 1e-6) [best, quarters] = [depth, turn];
  }
  return quarters;
}

/** The box around points, with a margin on each side. */
function around(points: readonly Point[], left: number, top: number, right: number, bottom: number): Box {
  const xs = points.map((at) => at.x);
  const ys = points.map((at) => at.y);
  const x = Math.min(...xs) - left;
  const y = Math.min(...ys) - top;
  return { x, y, width: Math.max(...xs) + right - x, height: Math.max(...ys) + bottom - y };
}

abstract class SquareLayout implements Layout {
  readonly floor: Floor;
  readonly cells: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
  abstract readonly box: Box;
  abstract readonly pitch: number;

  constructor(cells: readonly Cell[], quarters: number) {
    this.floor = floorOf(cells, quarters);
    this.cells = this.floor.cells;
    this.rows = this.floor.rows;
  }

  abstract centre(cell: Cell): Point;
  abstract find(point: Point, matters?: (cell: Cell) => boolean): Cell | null;

  step(cell: Cell, direction: Direction): Cell {
    const at = this.floor.seen.get(cell);
    if (!at) return cell;
    if (direction === 'home' || direction === 'end') {
      const row = this.rows.find((line) => line.includes(cell)) ?? [];
      return (direction === 'home' ? row[0] : row.at(-1)) ?? cell;
    }
    const [dc, dr] = { left: [-1, 0], right: [1, 0], up: [0, 1], down: [0, -1] }[direction] as [number, number];
    return this.floor.at(at.column + dc, at.row + dr) ?? cell;
  }
}

/** The board as a landscape of towers, seen from its bottom left corner. */
export class IsometricLayout extends SquareLayout {
  readonly box: Box;
  readonly pitch = Math.hypot(WIDE, DEEP) / 2;
  readonly order: readonly Cell[];

  constructor(
    cells: readonly Cell[],
    quarters: number,
    readonly heights: Readonly<Record<Cell, number>>,
    private readonly flags: Readonly<Record<Cell, number>> = {},
    tallest = 0,
  ) {
    super(cells, quarters);
    this.order = this.floor.order;
    const high = Math.max(tallest, ...Object.values(heights), 0);
    this.box = around(this.floor.extent, HALF + 18, FLAT + Math.max(1.4, high - 2) * TALL + POLE, HALF + 18, FLAT + 26);
  }

  ground(cell: Cell): Point {
    return this.floor.ground(cell);
  }

  /** The middle of the top face. */
  centre(cell: Cell): Point {
    const at = this.floor.grounds.get(cell);
    return at ? { x: at.x, y: at.y - (this.heights[cell] ?? 0) * TALL } : { x: 0, y: 0 };
  }

  /**
   * The cell of the frontmost column or flag at the point. If that cell does not matter, a top face behind it that
   * does is preferred, so that a tower without legal actions does not block clicks on the cell behind it.
   */
  find(point: Point, matters?: (cell: Cell) => boolean): Cell | null {
    const front = this.front(point);
    if (!matters || (front !== null && matters(front))) return front;
    let best = front;
    let nearest = 1;
    for (const cell of this.cells) {
      if (!matters(cell)) continue;
      const at = this.centre(cell);
      // The distance from the middle of the face: 1 on its edge.
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
    const top = this.centre(cell);
    return this.floor.inFront(cell).some((other) => this.covers(other, top));
  }

  /** The constructions in front that hide the middle of a cell's top face, or of the flag on it. */
  hiding(cell: Cell): Cell[] {
    const top = this.centre(cell);
    const seen = cell in this.flags ? { x: top.x + 10, y: top.y - 22 } : top;
    return this.floor.inFront(cell).filter((other) => other in this.heights && this.covers(other, seen));
  }

  private front(point: Point): Cell | null {
    for (let i = this.order.length - 1; i >= 0; i--) {
      const cell = this.order[i] as Cell;
      if (this.covers(cell, point)) return cell;
    }
    return null;
  }

  /** Whether the column or the flag on a cell is drawn over the point. */
  private covers(cell: Cell, point: Point): boolean {
    const at = this.ground(cell);
    const dx = Math.abs(point.x - at.x);
    if (dx > WIDE / 2) return false;
    const reach = (WIDE / 2 - dx) * (DEEP / WIDE);
    const top = at.y - (this.heights[cell] ?? 0) * TALL;
    if (point.y >= top - reach && point.y <= at.y + reach) return true;
    return cell in this.flags && dx < 13 && point.y < top && point.y > top - POLE;
  }
}

/** The board seen from straight above. */
export class PlanLayout extends SquareLayout {
  readonly box: Box;
  readonly pitch = SQUARE;

  constructor(cells: readonly Cell[], quarters: number) {
    super(cells, quarters);
    const margin = SQUARE / 2 + 22;
    this.box = around(
      cells.map((cell) => this.centre(cell)),
      margin,
      margin,
      margin,
      margin,
    );
  }

  centre(cell: Cell): Point {
    return this.floor.flat(cell);
  }

  find(point: Point): Cell | null {
    return this.floor.at(Math.round(point.x / SQUARE), Math.round(-point.y / SQUARE));
  }
}
