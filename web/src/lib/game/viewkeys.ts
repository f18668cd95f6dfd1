/** The keys that change how a board is seen, wherever there is one to study or play on. */

import { change, settings } from '../settings.svelte';

const OVERLAYS = ['none', 'regions', 'landscapes', 'leader', 'pay'] as const;

export function viewKeys(rotate: () => void): Record<string, () => void> {
  return {
    o: () => change('overlay', OVERLAYS[(OVERLAYS.indexOf(settings.overlay) + 1) % OVERLAYS.length] ?? 'none'),
    r: rotate,
    v: () => change('turriumView', settings.turriumView === 'above' ? 'isometric' : 'above'),
  };
}
