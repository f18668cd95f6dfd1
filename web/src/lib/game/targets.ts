/** What can be clicked now, derived from the legal actions. This code knows no rules, only the cells that actions name. */

import type { Target } from '../board/types';
import type { Action, Cell, GameEvent, Reach } from '../net/types';

/** Cells with a piece that can move. */
export function sources(legal: readonly Action[]): Set<Cell> {
  return new Set(legal.flatMap((action) => (action.source ? [action.source] : [])));
}

/** Legal kinds of action that name only a target. If there are several, the player chooses one. */
export function modes(legal: readonly Action[]): string[] {
  return [...new Set(legal.flatMap((action) => (!action.source && action.target ? [action.kind] : [])))];
}

/** The action, or several in a row, that a click on a cell performs. */
export interface Choice extends Target {
  actions: string[];
}

export function fromSource(legal: readonly Action[], source: Cell, reach: readonly Reach[] = []): Map<Cell, Choice> {
  const found = new Map<Cell, Choice>();
  for (const way of reach) {
    found.set(way.target, {
      kind: way.actions.at(-1)?.includes('x') ? 'capture' : 'step',
      actions: way.actions,
      cost: way.points,
      path: [source, ...way.actions.map((text) => text.slice(text.search(/[-x]/) + 1))],
    });
  }
  for (const action of legal) {
    if (action.source !== source || !action.target) continue;
    const known = found.get(action.target);
    if (known && known.actions.length === 1) continue;
    found.set(action.target, {
      kind: action.kind,
      actions: [action.text],
      cost: action.cost,
      path: [source, action.target],
    });
  }
  return found;
}

export function direct(
  legal: readonly Action[],
  mode: string | null,
  previews: Readonly<Record<string, GameEvent[]>> = {},
): Map<Cell, Choice> {
  const found = new Map<Cell, Choice>();
  for (const action of legal) {
    if (action.source || !action.target || (mode !== null && action.kind !== mode)) continue;
    found.set(action.target, {
      kind: action.kind,
      actions: [action.text],
      cost: action.cost,
      effects: previews[action.text],
    });
  }
  return found;
}
