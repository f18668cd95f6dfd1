import type { Cell, Seat, View } from '../../lib/net/types';

/** A cell as the server lays it out: where it is, what to write on it, and whose it is. */
export interface Place {
  name: Cell;
  x: number;
  y: number;
  text?: string | null;
  seat?: Seat | null;
}

/** A position of a game that the page has no folder for. */
export interface GenericView extends View {
  cells?: Place[];
  scores?: number[];
}
