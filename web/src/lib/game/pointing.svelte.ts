/** List entries that highlight cells of the board: while the mouse or the focus is on an entry, or until unpinned after a click. */

import type { Cell } from '../net/types';

type Cells = readonly Cell[];

export class Pointing {
  private pinned = $state.raw<Cells | null>(null);

  constructor(private readonly onpoint: (cells: Cells) => void) {}

  isPinned(cells: Cells): boolean {
    return this.pinned !== null && this.pinned.join() === cells.join();
  }

  /** Keeps the cells highlighted; a second call for the same cells stops that. */
  pin(cells: Cells): void {
    this.pinned = this.isPinned(cells) ? null : cells;
    this.onpoint(this.pinned ?? []);
    // On a phone the board may be scrolled off the screen.
    if (this.pinned) document.querySelector('[role=grid]')?.scrollIntoView({ block: 'nearest' });
  }

  /** The event listeners of an entry. */
  over(cells: Cells): Record<string, () => void> {
    const [point, release] = [() => this.onpoint(cells), () => this.onpoint(this.pinned ?? [])];
    return { onmouseenter: point, onfocus: point, onmouseleave: release, onblur: release };
  }
}
