/** Positions reached by trying things: a tree, of which one line is looked at. */

import type { Action, Cell, GameEvent, Reach, Turn, View } from '../net/types';

export interface Stop {
  position: string;
  view: View;
  legal: Action[];
  reach?: Record<Cell, Reach[]>;
  previews?: Record<string, GameEvent[]>;
  /** The turn that led here; null at the start. */
  turn: Turn | null;
}

interface Node {
  stop: Stop;
  parent: Node | null;
  children: Node[];
  /** The continuation last looked at. */
  kept: Node | null;
}

export class Variations {
  private root = $state.raw<Node | null>(null);
  private here = $state.raw<Node | null>(null);
  /** Rises with every change: nodes are plain data. */
  private version = $state(0);

  begin(stop: Stop): void {
    this.root = this.here = { stop, parent: null, children: [], kept: null };
    this.version++;
  }

  readonly stop = $derived(this.here?.stop ?? null);

  /** The line that is looked at, from the start through the present position to its end. */
  readonly line = $derived.by<Stop[]>(() => {
    void this.version;
    const line: Stop[] = [];
    for (let node = this.root; node; node = node.kept) line.push(node.stop);
    return line;
  });

  /** How many turns the present position is from the start. */
  readonly at = $derived.by(() => {
    let count = 0;
    for (let node = this.here; node?.parent; node = node.parent) count++;
    return count;
  });

  /** Every continuation that was tried from here. */
  readonly tried = $derived.by<Turn[]>(() => {
    void this.version;
    return this.here?.children.flatMap((node) => node.stop.turn ?? []) ?? [];
  });

  /** Goes on from here; the same turn again leads to where it led before. */
  play(stop: Stop): void {
    const { here } = this;
    if (!here) return;
    let next = here.children.find((node) => node.stop.position === stop.position);
    if (!next) {
      next = { stop, parent: here, children: [], kept: null };
      here.children.push(next);
    }
    here.kept = next;
    this.here = next;
    this.version++;
  }

  look(turn: number): void {
    let node = this.root;
    for (let count = 0; count < turn && node?.kept; count++) node = node.kept;
    this.here = node;
  }

  /** Goes to one of the continuations tried from here. */
  take(index: number): void {
    const next = this.here?.children[index];
    if (!this.here || !next) return;
    this.here.kept = next;
    this.here = next;
    this.version++;
  }
}
