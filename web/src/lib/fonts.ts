/** Loads the fonts after the first screen: they are as large as all the script that draws it. */

import { keep } from './game/storage';

const KEY = 'terrarium.fonts';

export function loadFonts(): void {
  const root = document.documentElement;
  if ('fonts' in root.dataset) return;
  // Safari has no idle callbacks.
  (window.requestIdleCallback ?? setTimeout)(() => {
    root.dataset['fonts'] = '';
    void document.fonts.ready.then(() => keep(KEY, true));
  });
}
