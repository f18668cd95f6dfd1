/** What an action will look like, drawn before the server has answered. It moves pictures; the server decides. */

import type { Action, View } from '../net/types';

export function shown(view: View, action: Pick<Action, 'kind' | 'source' | 'target'>): View {
  const { kind, source, target } = action;
  const seat = view.to_move;
  if (!target || seat === null) return view;
  if (view.game === 'nova') {
    if (kind === 'stone') return { ...view, stones: [...view.stones, target], supply: view.supply - 1, actions_left: view.actions_left - 1 };
    const pioneers = { ...view.pioneers, [target]: seat };
    if (source) delete pioneers[source];
    const moved = source ? [...view.moved.filter((cell) => cell !== source), target] : view.moved;
    const hand = kind === 'place' ? less(view.hand, seat) : view.hand;
    return { ...view, pioneers, moved, hand, actions_left: Math.max(0, view.actions_left - 1) };
  }
  if (kind === 'take' || kind === 'cube') {
    const by = kind === 'take' ? -1 : 1;
    const heights = { ...view.heights, [target]: (view.heights[target] ?? 0) + by };
    if (!heights[target]) delete heights[target];
    return { ...view, heights, cubes_in_hand: view.cubes_in_hand - by };
  }
  const flags = { ...view.flags, [target]: seat };
  if (source) delete flags[source];
  const hand = kind === 'flag' ? less(view.hand, seat) : view.hand;
  return { ...view, flags, hand };
}

function less(hand: number[], seat: number): number[] {
  return hand.map((count, of) => (of === seat ? count - 1 : count));
}

/** An action's parts, read from its notation. */
export function parts(text: string): Pick<Action, 'kind' | 'source' | 'target'> {
  const moved = /^([a-z]\d+)([-x])([a-z]\d+)$/.exec(text);
  if (moved) return { kind: moved[2] === 'x' ? 'capture' : 'move', source: moved[1] ?? null, target: moved[3] ?? null };
  const marked = /^([@+-])([a-z]\d+)$/.exec(text);
  if (!marked) return { kind: text, source: null, target: null };
  const kind = { '@': 'place', '+': 'stone', '-': 'take' }[marked[1] as '@' | '+' | '-'];
  return { kind, source: null, target: marked[2] ?? null };
}
