import type { SeatView } from '../net/types';

/** The default colours of the seats. */
export const COLOURS = ['yellow', 'red', 'blue', 'green'];

/** Seats for a board without players, with their names if there are any. */
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
