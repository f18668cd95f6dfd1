/** Lights up the cells of land that was just awarded. */

import { pageOf } from '../../games/index.svelte';
import type { Flash } from '../board/types';
import type { GameEvent, GameName } from '../net/types';
import { pace } from '../settings.svelte';

export class Flashes {
  shown = $state.raw<Flash[]>([]);
  private count = 0;

  /** Lights up the land that these events awarded, and returns it. */
  show(game: GameName, events: readonly GameEvent[]): { cells: string[]; awards: number[] }[] {
    const given = events.flatMap((event) => pageOf(game)?.awarded?.(event) ?? []);
    for (const { cells, awards } of given) {
      const top = Math.max(...awards);
      const flash: Flash = {
        id: ++this.count,
        cells,
        text: top > 0 ? `+${top}` : '',
        seat: top > 0 ? awards.indexOf(top) : null,
      };
      this.shown = [...this.shown, flash];
      setTimeout(() => (this.shown = this.shown.filter((one) => one !== flash)), Math.max(50, pace(1700)));
    }
    return given;
  }
}
