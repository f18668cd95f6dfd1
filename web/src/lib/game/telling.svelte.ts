/** What just happened, told in every way: words, a sound, cells that light up, points that fly to their seats. */

import type { GameEvent, GameName, SeatView } from '../net/types';
import { sound } from '../sound';
import { soundOf } from './eventSound';
import { announce } from '../ui/announcer.svelte';
import { Flashes } from './flashes.svelte';
import { fly } from './fly';
import { eventTexts } from './words';

export class Teller {
  readonly flashes = new Flashes();

  tell(game: GameName, events: readonly GameEvent[], seats: readonly SeatView[]): void {
    const name = soundOf(game, events);
    if (name) sound(name);
    const words = eventTexts(game, events, seats);
    if (words.length) announce(words.join(' '));
    for (const { cells, awards } of this.flashes.show(game, events))
      awards.forEach((points, seat) => {
        if (points > 0) fly(cells[Math.floor(cells.length / 2)] ?? '', seat, `+${points}`);
      });
  }
}
