import type { Cell, Seat, View } from '../../lib/net/types';

/** The heights of the towers a seat's flags stand on, of those it needs. */
export interface Ladder {
  held: number[];
  missing: number[];
}

export interface TurriumView extends View {
  points_left: number;
  cubes_in_hand: number;
  heights: Record<Cell, number>;
  flags: Record<Cell, Seat>;
  attacks: number[];
  captures: number[];
  rounds: number;
  unlocked: boolean;
  declared: Seat[];
  is_last_round: boolean;
  cells: Cell[];
  territories: Record<Cell, Seat | null>;
  exterior: Cell[];
  ladders: Ladder[];
}
