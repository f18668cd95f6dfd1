import type { Cell, Seat } from '../net/types';

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
}

export interface Arrow {
  kind: string;
  from: Cell | null;
  to: Cell;
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

/** Where cells are, and which cell is where: all that the pointer and the keyboard need. */
export interface Layout {
  readonly cells: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
  readonly box: { x: number; y: number; width: number; height: number };
  centre(cell: Cell): Point;
  find(point: Point): Cell | null;
  step(cell: Cell, direction: Direction, wish: number): Cell;
}

export const SHAPES = ['circle', 'square', 'triangle', 'diamond'] as const;
export type Shape = (typeof SHAPES)[number];
export const shapeOf = (seat: Seat): Shape => SHAPES[seat % 4] ?? 'circle';
