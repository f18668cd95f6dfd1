/** A description in words of what the board of a table shows. */

import { afterPaint } from '../afterPaint';
import { eventsOf } from './notation';
import type { TurnEvents } from './session.svelte';
import type { TableState } from './tableState.svelte';
import { turnLines, type Line } from './words';

/**
 * The lines about the shown turn, about the draft, or else about everything since this player's last turn.
 * Call it while a component is created. The lines are updated until the component is destroyed.
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
      // Keep the old text until the first action.
      if (!film.actions.length && film.turn.actions.length) return lines;
      return linesOf({ ...film.turn, events: eventsOf(film.turn, film.actions.length) });
    }
    const draft =
      table.isMine && builder.last
        ? linesOf({ seat: snapshot.view.to_move ?? 0, actions: [], events: builder.last.effects.flat() })
        : [];
    return draft.length ? draft : [...session.recent.flatMap(linesOf), ...resignations];
  }

  // Update the text after the board is painted.
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
    // Cancels the pending update, including when the component is destroyed.
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
