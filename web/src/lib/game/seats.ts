import type { SeatView } from '../net/types';

/** The colours of seats where nobody has said otherwise. */
export const COLOURS = ['yellow', 'red', 'blue', 'green'];

/** Seats at a board where nobody sits: called by their names, else by their colours. */
export function unseated(players: number, names: readonly (string | null)[] = []): SeatView[] {
  return Array.from({ length: players }, (_, seat) => ({
    seat,
    kind: 'device',
    name: names[seat] || null,
    level: null,
    is_taken: true,
    is_connected: false,
    colour: COLOURS[seat] ?? 'yellow',
    resigned: false,
    is_account: false,
    is_bot: false,
    character: null,
  }));
}
