import type { Action, GameEvent, Turn } from '../net/types';

/** The parts of an action, read from its notation. The kinds are those of Terra Nova. */
export function parts(text: string): Pick<Action, 'kind' | 'source' | 'target'> {
  const moved = /^([a-z]\d+)([-x])([a-z]\d+)$/.exec(text);
  if (moved) return { kind: moved[2] === 'x' ? 'capture' : 'move', source: moved[1] ?? null, target: moved[3] ?? null };
  const marked = /^([@+-])([a-z]\d+)$/.exec(text);
  if (!marked) return { kind: text, source: null, target: null };
  const kind = { '@': 'place', '+': 'stone', '-': 'take' }[marked[1] as '@' | '+' | '-'];
  return { kind, source: null, target: marked[2] ?? null };
}

/** The events of a turn's first actions. An event belongs to the action on its cell, or else to the action of the event before. */
export function eventsOf(turn: Pick<Turn, 'actions' | 'events'>, count: number): GameEvent[] {
  if (count >= turn.actions.length) return turn.events;
  const targets = turn.actions.map((text) => parts(text).target);
  let action = 0;
  const end = turn.events.findIndex((event) => {
    const found = targets.indexOf(String(event['cell'] ?? event['target']), action);
    if (found >= 0) action = found;
    return action >= count;
  });
  return end < 0 ? turn.events : turn.events.slice(0, end);
}
