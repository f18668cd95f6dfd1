import type { BoardCell, BoardView, Cell } from '../../../lib/net/types';
import type { Box, Direction, Layout, Point } from '../../../lib/board/types';

/** Outer radius of a hex, in drawing units. */
export const R = 20;
const HALF = (Math.sqrt(3) / 2) * R;
const ROW = 1.5 * R;

export const CORNERS: readonly Point[] = [0, 1, 2, 3, 4, 5].map((i) => {
  const angle = (Math.PI / 3) * i - Math.PI / 2;
  return { x: R * Math.cos(angle), y: R * Math.sin(angle) };
});

/** For each i, the step (row, x) to the neighbour beyond the side from corner i to corner i + 1. */
const SIDES: readonly (readonly [number, number])[] = [
  [-1, 1],
  [0, 2],
  [1, 1],
  [1, -1],
  [0, -2],
  [-1, -1],
];

export function hexPath(at: Point, size = 1): string {
  return `M${CORNERS.map((c) => `${round(at.x + c.x * size)} ${round(at.y + c.y * size)}`).join('L')}Z`;
}

/** A disc as a path, so that many discs can be drawn as one path. */
export function dotPath(at: Point, radius: number): string {
  return `M${round(at.x - radius)} ${round(at.y)}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0Z`;
}

const round = (value: number): number => Math.round(value * 100) / 100;

export class HexLayout implements Layout {
  readonly cells: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
  readonly box: Box;
  readonly pitch = 2 * HALF;
  private readonly byPlace = new Map<string, BoardCell>();
  private readonly byName = new Map<Cell, BoardCell>();

  constructor(board: Pick<BoardView, 'cells'>, margin = 44) {
    const rows = new Map<number, BoardCell[]>();
    for (const cell of board.cells) {
      this.byPlace.set(`${cell.row},${cell.x}`, cell);
      this.byName.set(cell.name, cell);
      rows.set(cell.row, [...(rows.get(cell.row) ?? []), cell]);
    }
    this.cells = board.cells.map((cell) => cell.name);
    this.rows = [...rows.entries()]
      .sort(([a], [b]) => a - b)
      .map(([, row]) => row.sort((a, b) => a.x - b.x).map((cell) => cell.name));
    const xs = board.cells.map((cell) => cell.x * HALF);
    const ys = board.cells.map((cell) => cell.row * ROW);
    const left = Math.min(...xs) - HALF - margin;
    const top = Math.min(...ys) - R - margin;
    this.box = {
      x: left,
      y: top,
      width: Math.max(...xs) + HALF + margin - left,
      height: Math.max(...ys) + R + margin - top,
    };
  }

  has(cell: Cell): boolean {
    return this.byName.has(cell);
  }

  cell(name: Cell): BoardCell | undefined {
    return this.byName.get(name);
  }

  centre(name: Cell): Point {
    const cell = this.byName.get(name);
    return cell ? { x: cell.x * HALF, y: cell.row * ROW } : { x: 0, y: 0 };
  }

  /** The middle of several cells. */
  middle(cells: readonly Cell[]): Point {
    const sum = cells.reduce((so, cell) => ({ x: so.x + this.centre(cell).x, y: so.y + this.centre(cell).y }), {
      x: 0,
      y: 0,
    });
    return { x: sum.x / cells.length, y: sum.y / cells.length };
  }

  /** The centre of the cell nearest to the middle: a place for a label that is always inside. */
  anchor(cells: readonly Cell[]): Point {
    const middle = this.middle(cells);
    const far = (at: Point) => Math.hypot(at.x - middle.x, at.y - middle.y);
    return cells.map((cell) => this.centre(cell)).reduce((best, at) => (far(at) < far(best) ? at : best));
  }

  /** The cell whose hex contains the point: of the four nearest centres the nearest one, if it is a cell. */
  find(point: Point): Cell | null {
    let best: BoardCell | undefined;
    let nearest = R * R;
    const middle = Math.floor(point.y / ROW);
    for (const row of [middle, middle + 1]) {
      const left = Math.floor(point.x / HALF);
      for (const x of [left - 1, left, left + 1, left + 2]) {
        const cell = this.byPlace.get(`${row},${x}`);
        if (!cell) continue;
        const distance = (cell.x * HALF - point.x) ** 2 + (cell.row * ROW - point.y) ** 2;
        if (distance < nearest) {
          nearest = distance;
          best = cell;
        }
      }
    }
    return best?.name ?? null;
  }

  /** The cell that an arrow key leads to: along the row, or the cell of the next row nearest to `preferredX`. */
  step(name: Cell, direction: Direction, preferredX: number): Cell {
    const rowAt = this.rows.findIndex((row) => row.includes(name));
    const row = this.rows[rowAt] ?? [];
    const at = row.indexOf(name);
    if (direction === 'home') return row[0] ?? name;
    if (direction === 'end') return row.at(-1) ?? name;
    if (direction === 'left') return row[at - 1] ?? name;
    if (direction === 'right') return row[at + 1] ?? name;
    const next = this.rows[rowAt + (direction === 'up' ? -1 : 1)];
    if (!next) return name;
    return next.reduce((best, cell) =>
      Math.abs(this.centre(cell).x - preferredX) < Math.abs(this.centre(best).x - preferredX) ? cell : best,
    );
  }

  /** The sides of a cell that face no cell of the given set, as corner pairs. */
  private openSides(name: Cell, inside: (other: Cell) => boolean): [Point, Point][] {
    const cell = this.byName.get(name);
    if (!cell) return [];
    const at = this.centre(name);
    return SIDES.flatMap(([dr, dx], i) => {
      const other = this.byPlace.get(`${cell.row + dr},${cell.x + dx}`);
      if (other && inside(other.name)) return [];
      const a = CORNERS[i];
      const b = CORNERS[(i + 1) % 6];
      if (!a || !b) return [];
      return [
        [
          { x: at.x + a.x, y: at.y + a.y },
          { x: at.x + b.x, y: at.y + b.y },
        ] as [Point, Point],
      ];
    });
  }

  /** The outline of a set of cells as closed loops, for coasts and regions. */
  outline(cells: Iterable<Cell>): string {
    const set = new Set(cells);
    const from = new Map<string, Point[]>();
    const key = (point: Point) => `${Math.round(point.x * 10)},${Math.round(point.y * 10)}`;
    const starts: Point[] = [];
    for (const cell of set) {
      for (const [a, b] of this.openSides(cell, (other) => set.has(other))) {
        from.set(key(a), [...(from.get(key(a)) ?? []), b]);
        starts.push(a);
      }
    }
    let path = '';
    for (const start of starts) {
      let at: Point | undefined = start;
      let loop = '';
      for (;;) {
        const ahead: Point | undefined = from.get(key(at))?.pop();
        if (!ahead) break;
        loop += `${loop ? 'L' : 'M'}${round(at.x)} ${round(at.y)}`;
        at = ahead;
      }
      if (loop) path += `${loop}Z`;
    }
    return path;
  }

  /** The sides between cells of two different landscapes, as one path. */
  borders(): string {
    let path = '';
    for (const [name, cell] of this.byName) {
      for (const [a, b] of this.openSides(name, (other) => this.byName.get(other)?.landscape === cell.landscape)) {
        if (round(a.x) < round(b.x) || (round(a.x) === round(b.x) && a.y < b.y))
          path += `M${round(a.x)} ${round(a.y)}L${round(b.x)} ${round(b.y)}`;
      }
    }
    return path;
  }
}
