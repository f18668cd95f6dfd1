/** A turn's actions in short form: actions of the same kind are joined, and a path through several cells is one token. */

import { parts } from './notation';

export interface Token {
  kind: string;
  /** Such as "d9 d8" or "d4 → d5 → e5". */
  text: string;
}

export function tokens(actions: readonly string[]): Token[] {
  const found: (Token & { end: string | null })[] = [];
  for (const action of actions) {
    const { kind, source, target } = parts(action);
    if (kind === 'end') continue;
    const last = found.at(-1);
    if (target === null) found.push({ kind, text: action, end: null });
    else if (source === null) {
      if (last?.kind === kind) last.text += ` ${target}`;
      else found.push({ kind, text: target, end: null });
    } else if (last?.end === source && last.kind === kind) {
      last.text += ` → ${target}`;
      last.end = target;
    } else found.push({ kind, text: `${source} → ${target}`, end: target });
  }
  return found.map(({ kind, text }) => ({ kind, text }));
}
