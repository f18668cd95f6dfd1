/** Positions within a turn: at once a view made by the page, and the exact one when the server has answered. */

import { pageOf } from '../../games/index.svelte';
import { api } from '../net/client';
import type { GameEvent, View } from '../net/types';
import { parts } from './notation';

interface Found {
  view: View;
  /** The events of the actions; null until the server has answered. */
  events: GameEvent[] | null;
}

const key = (position: string, actions: readonly string[]) => `${position} ${actions.join(' ')}`;

export class PartialTurns {
  private found = $state.raw<Readonly<Record<string, Found>>>({});
  private readonly asked = new Set<string>();

  /** The result of some actions in a position whose view is `before`. */
  at(position: string | undefined, before: View, actions: readonly string[]): Found {
    const known = position === undefined ? undefined : this.found[key(position, actions)];
    if (known) return known;
    const page = pageOf(before.game);
    const view = actions.reduce((sofar, text) => page?.shown(sofar, parts(text)) ?? sofar, before);
    return { view, events: null };
  }

  /** Requests the exact result, once. */
  async load(position: string | undefined, actions: readonly string[]): Promise<void> {
    if (position === undefined || !actions.length) return;
    const name = key(position, actions);
    if (this.asked.has(name)) return;
    this.asked.add(name);
    try {
      const { view, effects } = await api.tryPosition(position, [...actions]);
      this.found = { ...this.found, [name]: { view, events: effects.flat() } };
    } catch {
      // Keep the view made by the page. The next call sends the request again.
      this.asked.delete(name);
    }
  }
}
