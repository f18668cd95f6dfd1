/** Positions within a turn: drawn at once as well as the page can, and exactly when the server has answered. */

import { pageOf } from '../../games/index.svelte';
import { api } from '../net/client';
import type { GameEvent, View } from '../net/types';
import { parts } from './notation';

interface Found {
  view: View;
  /** What the actions did; unknown until the server has answered. */
  events: GameEvent[] | null;
}

const key = (position: string, actions: readonly string[]) => `${position} ${actions.join(' ')}`;

export class PartialTurns {
  private found = $state.raw<Readonly<Record<string, Found>>>({});
  private readonly asked = new Set<string>();

  /** Where these actions lead from a position, of which `before` is the view. */
  at(position: string | undefined, before: View, actions: readonly string[]): Found {
    const known = position === undefined ? undefined : this.found[key(position, actions)];
    if (known) return known;
    const page = pageOf(before.game);
    const view = actions.reduce((sofar, text) => page?.shown(sofar, parts(text)) ?? sofar, before);
    return { view, events: null };
  }

  /** Asks the server, once. */
  async load(position: string | undefined, actions: readonly string[]): Promise<void> {
    if (position === undefined || !actions.length) return;
    const name = key(position, actions);
    if (this.asked.has(name)) return;
    this.asked.add(name);
    try {
      const { view, effects } = await api.tryPosition(position, [...actions]);
      this.found = { ...this.found, [name]: { view, events: effects.flat() } };
    } catch {
      // Keep what the page has drawn; the next visit sends the request again.
      this.asked.delete(name);
    }
  }
}
