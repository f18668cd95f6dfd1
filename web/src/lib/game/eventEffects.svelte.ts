/** Presents what just happened: text, sound, cells that light up, points that fly to their seats. */

import type { GameName, Seat, SeatView } from '../net/types';
import { sound } from '../sound';
import { soundOf } from './eventSound';
import { alarm, announce } from '../ui/announcer.svelte';
import { Flashes } from './flashes.svelte';
import { fly } from './fly';
import type { TurnEvents } from './session.svelte';
import { turnLines } from './words';

export class EventEffects {
  readonly flashes = new Flashes();
  /** Sentences about the reader's losses since the reader's last turn. */
  losses = $state.raw<string[]>([]);

  show(game: GameName, turns: readonly TurnEvents[], seats: readonly SeatView[], yours: readonly Seat[]): void {
    const events = turns.flatMap((turn) => turn.events);
    const name = soundOf(game, events);
    if (name) sound(name);
    const lines = turns.flatMap((turn) => turnLines(game, turn, seats, yours));
    const say = (isLoss: boolean) => lines.flatMap((line) => (line.isLoss === isLoss ? [line.text] : [])).join(' ');
    announce(say(false));
    const lost = lines.flatMap((line) => (line.isLoss ? [line.text] : []));
    // Losses stay until the reader plays.
    const isOwn = turns.some((turn) => yours.includes(turn.seat));
    this.losses = [...new Set([...(isOwn ? [] : this.losses), ...lost])];
    alarm(say(true));
    for (const { cells, awards } of this.flashes.show(game, events))
      awards.forEach((points, seat) => {
        if (points > 0) fly(cells[Math.floor(cells.length / 2)] ?? '', seat, `+${points}`);
      });
  }
}
