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
  /** Turns without a stone until the game ends; null if that rule is off. */
  stall_left: number | null;
  scores: number[];
  moved: Cell[];
  regions: Region[];
}

/** A territory that was closed, what it was worth, and what each seat got. */
export interface Territory {
  cells: Cell[];
  landscapes: string[];
  points: number;
  /** How many pioneers of each seat were inside. */
  pioneers: number[];
  awards: number[];
}

/** The territory of a `territory-scored` event. */
export const territory = (event: GameEvent): Territory => ({
  cells: event['cells'] as Cell[],
  landscapes: event['landscapes'] as string[],
  points: event['points'] as number,
  pioneers: event['pioneers'] as number[],
  awards: event['awards'] as number[],
});

/** The territories that were closed in a list of events. */
export const territories = (events: readonly GameEvent[]): Territory[] =>
  events.filter((event) => event.kind === 'territory-scored').map(territory);

/** Points per cell. */
export const value = ({ cells, points }: Pick<Territory, 'cells' | 'points'>): number => points / cells.length;

/** The points of a territory as text, such as "10 × 3 = 30". */
export const sum = (land: Pick<Territory, 'cells' | 'points'>): string =>
  `${land.cells.length} × ${value(land)} = ${land.points}`;

/** The seats that got points, and their points. */
export const shares = ({ awards }: Pick<Territory, 'awards'>): { seat: Seat; points: number }[] =>
  awards.flatMap((points, seat) => (points > 0 ? [{ seat, points }] : []));
