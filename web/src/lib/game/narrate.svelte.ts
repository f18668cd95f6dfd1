/** What the board of a table shows, in words. */

import { afterPaint } from '../afterPaint';
import { eventsOf } from './notation';
import type { TurnEvents } from './session.svelte';
import type { TableState } from './tableState.svelte';
import { turnLines, type Line } from './words';

/**
 * The turn looked at or being shown, the draft, or else everything since this player's last turn.
 * Called by a component while it is made; the words follow the session until the component is gone.
 */
export function narrate(table: TableState): { readonly lines: Line[] } {
  const { session } = table;
  const { builder, film } = session;
  let lines = $state.raw<Line[]>([]);
  let changes = 0;

  function now(): Line[] {
    const { snapshot } = session;
    if (!snapshot) return [];
    const { game, seats, you } = snapshot;
    const { turns, shownTurn, inTurn } = session;
    const linesOf = (turn: TurnEvents | undefined) => (turn ? turnLines(game, turn, seats, you) : []);
    if (inTurn) return linesOf({ ...inTurn.turn, events: inTurn.events ?? [] });
    const resigned = snapshot.resignations.filter((one) => one.after === shownTurn);
    const resignations = resigned.flatMap((one) => linesOf({ ...one, actions: [] }));
    if (!session.isLive) return [...linesOf(turns[shownTurn - 1]), ...resignations];
    if (table.isShowing && film.turn) {
      // Until the first action the former text stays.
      if (!film.actions.length && film.turn.actions.length) return lines;
      return linesOf({ ...film.turn, events: eventsOf(film.turn, film.actions.length) });
    }
    const draft =
      table.isMine && builder.last
        ? linesOf({ seat: snapshot.view.to_move ?? 0, actions: [], events: builder.last.effects.flat() })
        : [];
    return draft.length ? draft : [...session.recent.flatMap(linesOf), ...resignations];
  }

  // The text changes after the frame that shows the same is painted.
  $effect(() => {
    void [
      session.snapshot,
      session.shownTurn,
      session.isLive,
      session.inTurn,
      film.turn,
      film.actions,
      table.isShowing,
      table.isMine,
      builder.last,
    ];
    const change = ++changes;
    void afterPaint().then(() => {
      if (change === changes) lines = now();
    });
    // Also when the screen is left: then there is nothing to narrate any more.
    return () => {
      changes++;
    };
  });

  return {
    get lines() {
      return lines;
    },
  };
}
