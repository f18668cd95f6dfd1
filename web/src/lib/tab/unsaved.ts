/** Whether a reload of this tab would lose something that somebody entered. */

import { isWritten } from '../game/storage';
import { storage } from '../net/tab.svelte';

/** Fields in which somebody typed or chose something. */
const changed = new Set<Element>();
const checks = new Set<() => boolean>();

/** Registers a check for work that no storage holds, such as the draft of a puzzle's turn; returns a function that removes it. */
export function guard(hasWork: () => boolean): () => void {
  checks.add(hasWork);
  return () => checks.delete(hasWork);
}

/** Starts to remember the fields that somebody changes. */
export function watchFields(): void {
  addEventListener('input', ({ target }) => {
    for (const field of changed) if (!field.isConnected) changed.delete(field);
    if (target instanceof Element) changed.add(target);
  });
}

const isFilled = (field: Element): boolean =>
  field.isConnected && !('value' in field && typeof field.value === 'string' && field.value.trim() === '');

/** Whether the browser's storage has all games and drafts. */
export const isStored = (): boolean => storage.isKept && isWritten();

export function hasUnsaved(): boolean {
  return (
    !isStored() ||
    document.querySelector('dialog[open]') !== null ||
    [...changed].some(isFilled) ||
    [...checks].some((hasWork) => hasWork())
  );
}
