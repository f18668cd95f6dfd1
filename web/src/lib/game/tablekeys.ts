/** The table by keyboard: every shortcut that the help lists, beside those of the board itself. */

import type { Builder } from './builder.svelte';
import type { Session } from './session.svelte';
import { turned } from './cursor';
import { keyName, viewKeys } from './viewkeys';

export function tableKeys(
  session: Session,
  /** The turn that is being built: the player's, or one that is planned. */
  hand: () => Builder | null,
  finish: () => Promise<void>,
  rotate: () => void,
): (event: KeyboardEvent) => void {
  const keys: Record<string, () => void> = {
    Escape: () => hand()?.clear(),
    u: () => hand()?.undo(),
    f: () => hand() && void finish(),
    m: () => hand()?.nextMode(),
    a: () => void session.again(),
    s: () => session.skip(),
    ',': () => void session.look(turned(session.cursor, -1)),
    '.': () => void session.look(turned(session.cursor, 1)),
    'Shift+ArrowLeft': () => void session.step(-1),
    'Shift+ArrowRight': () => void session.step(1),
  };
  return (event) => {
    if ((event.target as Element).matches('input, textarea, select') || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (document.querySelector('dialog[open]')) return;
    const run = { ...keys, ...viewKeys(session.snapshot?.game, rotate) }[keyName(event)];
    if (!run) return;
    event.preventDefault();
    run();
  };
}
