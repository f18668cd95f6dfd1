import type { Cell, Seat, View } from '../../lib/net/types';

export interface Region {
  cells: Cell[];
  landscapes: string[];
  pioneers: number[];
  points: number;
  awards: number[];
  is_closable: boolean;
}

export interface NovaView extends View {
  actions_left: number;
  pioneers: Record<Cell, Seat>;
  stones: Cell[];
  dead: Cell[];
  supply: number;
  scores: number[];
  moved: Cell[];
  regions: Region[];
}
