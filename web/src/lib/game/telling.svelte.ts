/** What just happened, told in every way: words, a sound, cells that light up, points that fly to their seats. */

import type { Flash } from '../board/types';
import type { GameEvent, SeatView } from '../net/types';
import { pace } from '../settings.svelte';
import { sound, soundOf } from '../sound';
import { announce } from '../ui/announcer.svelte';
import { fly } from './fly';
import { eventText } from './words';

export class Teller {
  words = $state.raw<string[]>([]);
  flashes = $state.raw<Flash[]>([]);
  private count = 0;

  tell(events: readonly GameEvent[], seats: readonly SeatView[]): void {
    const name = soundOf(events.map((event) => event.kind));
    if (name) sound(name);
    const words = events.flatMap((event) => eventText(event, seats) ?? []);
    if (words.length) {
      this.words = words;
      announce(words.join(' '));
    }
    for (const event of events) if (event.kind === 'territory-scored') this.light(event['cells'] as string[], event['awards'] as number[]);
  }

  private light(cells: string[], awards: readonly number[]): void {
    const top = Math.max(...awards);
    const flash: Flash = { id: ++this.count, cells, text: top > 0 ? `+${top}` : '', seat: top > 0 ? awards.indexOf(top) : null };
    this.flashes = [...this.flashes, flash];
    setTimeout(() => (this.flashes = this.flashes.filter((one) => one !== flash)), Math.max(50, pace(1700)));
    awards.forEach((points, seat) => {
      if (points > 0) fly(cells[Math.floor(cells.length / 2)] ?? '', seat, `+${points}`);
    });
  }
}
