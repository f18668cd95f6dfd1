/** The table by keyboard: every shortcut that the help lists, beside those of the board itself. */

import type { Session } from './session.svelte';
import { viewKeys } from './viewkeys';

export function tableKeys(session: Session, canBuild: () => boolean, rotate: () => void): (event: KeyboardEvent) => void {
  const { builder } = session;
  const shown = () => session.at ?? session.turns.length;
  const keys: Record<string, () => void> = {
    Escape: () => builder.clear(),
    u: () => canBuild() && builder.undo(),
    f: () => canBuild() && void session.finish(),
    m: () => builder.choose(builder.modes[(builder.modes.indexOf(builder.mode ?? '') + 1) % builder.modes.length] ?? null),
    ',': () => void session.look(shown() - 1),
    '.': () => void session.look(shown() + 1),
  };
  return (event) => {
    if ((event.target as Element).matches('input, textarea, select') || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector('dialog[open]')) return;
    const run = { ...keys, ...viewKeys(session.snapshot?.game, rotate) }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!run) return;
    event.preventDefault();
    run();
  };
}
