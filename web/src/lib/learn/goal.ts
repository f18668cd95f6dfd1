import { parts } from '../game/optimistic';
import type { Action, GameEvent, View } from '../net/types';
import type { Goal } from './types';

export interface Progress {
  actions: string[];
  /** The actions as the server offered them, by text: their kinds are the server's. */
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
    const standing = progress.view.game === 'nova' ? progress.view.pioneers : progress.view.flags;
    return goal.cells.filter((cell) => standing[cell] === progress.seat).length >= (goal.count ?? goal.cells.length);
  }
  if (goal.kind === 'ladder') {
    const held = progress.view.game === 'turrium' ? (progress.view.ladders[progress.seat]?.held ?? []) : [];
    return goal.held.every((height) => held.includes(height));
  }
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
