import type { Cell, GameEvent, Seat } from '../net/types';

export interface Point {
  x: number;
  y: number;
}

/** What a click on a cell would do. The board draws it and knows no rules. */
export interface Target {
  kind: string;
  /** The points it costs, if actions of the game have a cost. */
  cost?: number;
  /** The cells on the way, including the start. */
  path?: Cell[];
  /** Its further effects. */
  effects?: readonly GameEvent[];
}

export interface Arrow {
  kind: string;
  from: Cell | null;
  to: Cell;
}

export const MARK_COLOURS = ['green', 'red', 'blue', 'yellow'] as const;
export type MarkColour = (typeof MARK_COLOURS)[number];

/** A cell that the reader marked, or an arrow to it. */
export interface Mark {
  target: Cell;
  source: Cell | null;
  colour: MarkColour;
}

/** A territory that was just closed: its cells light up and its points rise. */
export interface Flash {
  id: number;
  cells: Cell[];
  text: string;
  seat: Seat | null;
}

export type Direction = 'left' | 'right' | 'up' | 'down' | 'home' | 'end';
export type Hand = 'mouse' | 'touch' | 'keyboard';

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The places of cells: all that the pointer and the keyboard need. */
export interface Layout {
  readonly cells: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
  readonly box: Box;
  /** The distance between the centres of two neighbours. */
  readonly pitch: number;
  centre(cell: Cell): Point;
  /** The cell at a point. If one cell hides another, a cell that `matters` is preferred. */
  find(point: Point, matters?: (cell: Cell) => boolean): Cell | null;
  step(cell: Cell, direction: Direction, preferredX: number): Cell;
}

/** A piece being dragged: the cell it comes from, and the place of the pointer. */
export interface Drag {
  cell: Cell;
  at: Point;
}

/** The marks on a board. */
export interface Marked {
  sources: ReadonlySet<Cell>;
  targets: ReadonlyMap<Cell, Target>;
  hinted: ReadonlyMap<Cell, Target>;
  selected: Cell | null;
  preview: Cell | null;
  hover: Cell | null;
  trail: readonly Arrow[];
  arrows: readonly Arrow[];
}

/** The props and callbacks of every board. */
export interface BoardProps extends Marked {
  colours: readonly string[];
  name: string;
  label?: (cell: Cell) => string;
  /** Whether the server's answer is awaited; the marks are then those from before. */
  isWaiting?: boolean;
  /** The seat whose piece is shown under the pointer. */
  seat: number | null;
  moves: readonly (readonly [Cell, Cell])[];
  draft: ReadonlySet<Cell>;
  coordinates: boolean;
  live: boolean;
  zoomText?: { more: string; less: string; whole: string };
  /** The reader's drawings. */
  marks?: readonly Mark[];
  /** The colour of the reader's pen. */
  pen?: MarkColour;
  /** Whether the left button and a finger draw. With `ondraw`, the right button always does. */
  isDrawing?: boolean;
  /** Called when the reader drew an arrow, or marked a cell: then both cells are the same. */
  ondraw?: (source: Cell, target: Cell) => void;
  /** Called when the reader begins an arrow with the keyboard, and with null if the reader cancels it. */
  onpen?: (cell: Cell | null) => void;
  onhover?: (cell: Cell | null) => void;
  oncell?: (cell: Cell | null, hand: Hand) => void;
  ongrab?: (cell: Cell) => void;
  ondrop?: (cell: Cell | null) => void;
}

/** The CSS class of a seat's colour. */
export const colourOf = (colours: readonly string[], seat: Seat | null | undefined): string =>
  seat === null || seat === undefined ? 'seat-none' : `seat-${colours[seat] ?? 'yellow'}`;

export const SHAPES = ['circle', 'square', 'triangle', 'diamond'] as const;
export type Shape = (typeof SHAPES)[number];
export const shapeOf = (seat: Seat): Shape => SHAPES[seat % 4] ?? 'circle';
