/** The keyboard shortcuts of a table, besides those of the board itself. */

import type { Builder } from './builder.svelte';
import type { Session } from './session.svelte';
import { turned } from './cursor';
import { keyName, viewKeys } from './viewkeys';

export function tableKeys(
  session: Session,
  /** The builder of the reader's turn or of a plan. */
  builder: () => Builder | null,
  finish: () => Promise<void>,
  rotate: () => void,
): (event: KeyboardEvent) => void {
  const keys: Record<string, () => void> = {
    Escape: () => builder()?.clear(),
    u: () => builder()?.undo(),
    f: () => builder() && void finish(),
    m: () => builder()?.nextMode(),
    a: () => void session.showRecent(),
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
