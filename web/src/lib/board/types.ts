import type { Cell, GameEvent, Seat } from '../net/types';

export interface Point {
  x: number;
  y: number;
}

/** Something a click on a cell would do. The board draws it and does not ask why. */
export interface Target {
  kind: string;
  /** Points it costs, where the game has points. */
  cost?: number;
  /** The cells on the way, the start included. */
  path?: Cell[];
  /** What it would do beyond itself. */
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

/** A territory that was just closed: its cells light up and its points fly. */
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

/** Where cells are, and which cell is where: all that the pointer and the keyboard need. */
export interface Layout {
  readonly cells: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
  readonly box: Box;
  /** How far apart the centres of two neighbours are. */
  readonly pitch: number;
  centre(cell: Cell): Point;
  /** The cell at a point; where one cell hides another, one that `matters` wins over one that does not. */
  find(point: Point, matters?: (cell: Cell) => boolean): Cell | null;
  step(cell: Cell, direction: Direction, wish: number): Cell;
}

/** A piece on its way under the pointer: the cell it comes from, and where it is. */
export interface Drag {
  cell: Cell;
  at: Point;
}

/** What is marked on a board, beyond its pieces. */
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

/** The props of every board, and what it reports. */
export interface BoardProps extends Marked {
  colours: readonly string[];
  name: string;
  label?: (cell: Cell) => string;
  /** Whether the server is still to say what can be done now: what is marked is what could be done before. */
  isWaiting?: boolean;
  /** Whose pieces a ghost under the pointer shows. */
  seat: number | null;
  moves: readonly (readonly [Cell, Cell])[];
  draft: ReadonlySet<Cell>;
  coordinates: boolean;
  live: boolean;
  zoomText?: { more: string; less: string; whole: string };
  /** What the reader drew. */
  marks?: readonly Mark[];
  /** The colour of the reader's pen. */
  pen?: MarkColour;
  /** Whether the left button and a finger draw; the right button always does, where the reader may draw. */
  isDrawing?: boolean;
  /** The reader drew an arrow, or marked a cell if it is the same twice. */
  ondraw?: (source: Cell, target: Cell) => void;
  /** The reader began an arrow with the keyboard, or gave it up. */
  onpen?: (cell: Cell | null) => void;
  onhover?: (cell: Cell | null) => void;
  oncell?: (cell: Cell | null, hand: Hand) => void;
  ongrab?: (cell: Cell) => void;
  ondrop?: (cell: Cell | null) => void;
}

/** The class that gives a seat's colour. */
export const colourOf = (colours: readonly string[], seat: Seat | null | undefined): string =>
  seat === null || seat === undefined ? 'seat-none' : `seat-${colours[seat] ?? 'yellow'}`;

export const SHAPES = ['circle', 'square', 'triangle', 'diamond'] as const;
export type Shape = (typeof SHAPES)[number];
export const shapeOf = (seat: Seat): Shape => SHAPES[seat % 4] ?? 'circle';
