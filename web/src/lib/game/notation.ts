import type { Action } from '../net/types';

/** An action's parts, read from its notation. */
export function parts(text: string): Pick<Action, 'kind' | 'source' | 'target'> {
  const moved = /^([a-z]\d+)([-x])([a-z]\d+)$/.exec(text);
  if (moved) return { kind: moved[2] === 'x' ? 'capture' : 'move', source: moved[1] ?? null, target: moved[3] ?? null };
  const marked = /^([@+-])([a-z]\d+)$/.exec(text);
  if (!marked) return { kind: text, source: null, target: null };
  const kind = { '@': 'place', '+': 'stone', '-': 'take' }[marked[1] as '@' | '+' | '-'];
  return { kind, source: null, target: marked[2] ?? null };
}
