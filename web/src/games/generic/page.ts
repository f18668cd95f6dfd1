/** How the page shows a game that has no folder here: with the data that the server sends for every game. */

import type { Action, Cell } from '../../lib/net/types';
import { gamePage } from '../types';
import GenericBoard from './GenericBoard.svelte';
import SeatFacts from './SeatFacts.svelte';
import type { GenericView } from './view';

/** The description of each cell, such as "b2, X, red". */
function cells(view: GenericView, _land: unknown, colours: readonly string[]): Map<Cell, string> {
  return new Map(
    (view.cells ?? []).map(({ name, text, seat }) => [
      name,
      [name, text, seat === null || seat === undefined ? null : colours[seat]].filter(Boolean).join(', '),
    ]),
  );
}

/** Actions that name no cell on the board, and those that a click could not distinguish. */
function unplaced(view: GenericView, legal: readonly Action[]): Action[] {
  const known = new Set(view.cells?.map((place) => place.name));
  const clicked = (action: Action) => `${action.kind} ${action.source ?? ''} ${action.target ?? ''}`;
  return legal.filter(
    (action) =>
      action.kind !== 'end' &&
      (!action.target ||
        !known.has(action.target) ||
        legal.some((other) => other !== action && clicked(other) === clicked(action))),
  );
}

export const page = gamePage<GenericView>({
  Board: GenericBoard,
  SeatFacts,
  canProposeEnd: false,
  status: () => null,
  left: () => null,
  unplaced,
  standing: (view, seat) => (view.scores ? String(view.scores[seat] ?? 0) : ''),
  cells,
  sounds: {},
  shown: (view) => view,
  marks: {},
  pieces: (view) =>
    Object.fromEntries(
      (view.cells ?? []).flatMap(({ name, seat }) => (seat === null || seat === undefined ? [] : [[name, seat]])),
    ),
});
