import type { Cell, GameEvent, Seat, View } from '../../lib/net/types';

/** The tower heights that a seat needs: those it has flags on, and those it lacks. */
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
  /** Completed rounds, and rounds until the game ends without a winner. */
  rounds: number;
  rounds_left: number;
  unlocked: boolean;
  declared: Seat[];
  is_last_round: boolean;
  cells: Cell[];
  territories: Record<Cell, Seat | null>;
  exterior: Cell[];
  ladders: Ladder[];
}

/** How a cube would change the reach of flags: the cells and heights that become reachable or unreachable. */
export interface ReachChange {
  gained: Cell[];
  lost: Cell[];
  gainedHeights: number[];
  lostHeights: number[];
}

export function reachChange(effects: readonly GameEvent[]): ReachChange | null {
  const event = effects.find((one) => one.kind === 'reach-changed');
  if (!event) return null;
  return {
    gained: event['gained'] as Cell[],
    lost: event['lost'] as Cell[],
    gainedHeights: event['gained_heights'] as number[],
    lostHeights: event['lost_heights'] as number[],
  };
}
