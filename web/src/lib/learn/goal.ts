import { pageOf } from '../../games/index.svelte';
import { parts } from '../game/notation';
import type { Action, GameEvent, View } from '../net/types';
import type { Goal } from './types';

export interface Progress {
  actions: string[];
  /** The server's kind of each action, by the action's text. */
  kinds: Record<string, Action['kind']>;
  events: GameEvent[];
  isComplete: boolean;
  view: View;
  seat: number;
}

function fact(event: GameEvent, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], event);
}

/** Whether a step of a guided game has reached its goal. */
export function reached(goal: Goal, progress: Progress): boolean {
  if (goal.kind === 'turn') return progress.isComplete;
  if (goal.kind === 'any') return goal.of.some((one) => reached(one, progress));
  if (goal.kind === 'actions') {
    const wanted = progress.actions.filter(
      (text) =>
        (!goal.action || (progress.kinds[text] ?? parts(text).kind) === goal.action) &&
        (!goal.targets || goal.targets.includes(parts(text).target ?? '')),
    );
    return wanted.length >= goal.count;
  }
  if (goal.kind === 'cells') {
    const pieces = pageOf(progress.view.game)?.pieces(progress.view) ?? {};
    return goal.cells.filter((cell) => pieces[cell] === progress.seat).length >= (goal.count ?? goal.cells.length);
  }
  if (goal.kind !== 'event')
    return pageOf(progress.view.game)?.isReached?.(goal, progress.view, progress.seat) ?? false;
  const met = progress.events.filter(
    (event) =>
      event.kind === goal.event &&
      Object.entries(goal.where ?? {}).every(([path, value]) => {
        const found = fact(event, path);
        return typeof value === 'number' ? typeof found === 'number' && found >= value : found === value;
      }),
  );
  return met.length >= (goal.count ?? 1);
}
