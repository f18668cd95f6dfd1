import type { Cell, GameEvent, Seat, View } from '../../lib/net/types';

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

/** A territory that was closed, what it was worth, and what each seat got. */
export interface Territory {
  cells: Cell[];
  points: number;
  awards: number[];
}

/** What a `territory-scored` event says. */
export const territory = (event: GameEvent): Territory => ({ cells: event['cells'] as Cell[], points: event['points'] as number, awards: event['awards'] as number[] });
