import type { Cell, Seat, View } from '../../lib/net/types';

/** A cell in the server's layout: its place, the text on it and its owner. */
export interface Place {
  name: Cell;
  x: number;
  y: number;
  text?: string | null;
  seat?: Seat | null;
}

/** A position of a game that has no folder here. */
export interface GenericView extends View {
  cells?: Place[];
  scores?: number[];
}
