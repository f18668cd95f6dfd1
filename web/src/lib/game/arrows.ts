import type { Arrow } from '../board/types';
import { parts } from './notation';

/** Actions as arrows and marked cells on the board. */
export function arrowsOf(actions: readonly string[]): Arrow[] {
  return actions.flatMap((text) => {
    const action = parts(text);
    return action.target ? [{ kind: action.kind, from: action.source, to: action.target }] : [];
  });
}
