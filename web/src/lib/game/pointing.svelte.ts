/** Entries of a list that point at cells of the board: while the mouse or the focus is on one, or for longer by a click. */

import type { Cell } from '../net/types';

type Cells = readonly Cell[];

export class Pointing {
  private pinned = $state.raw<Cells | null>(null);

  constructor(private readonly onpoint: (cells: Cells) => void) {}

  isPinned(cells: Cells): boolean {
    return this.pinned !== null && this.pinned.join() === cells.join();
  }

  /** Keeps pointing there; a second click stops it. */
  pin(cells: Cells): void {
    this.pinned = this.isPinned(cells) ? null : cells;
    this.onpoint(this.pinned ?? []);
    // On a phone the board may be out of sight.
    if (this.pinned) document.querySelector('[role=grid]')?.scrollIntoView({ block: 'nearest' });
  }

  /** What an entry listens to. */
  over(cells: Cells): Record<string, () => void> {
    const [point, release] = [() => this.onpoint(cells), () => this.onpoint(this.pinned ?? [])];
    return { onmouseenter: point, onfocus: point, onmouseleave: release, onblur: release };
  }
}
