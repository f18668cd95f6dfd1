/** Loads the fonts after the first screen, because they are as large as the code that draws it. */

import { keep } from './game/storage';

const KEY = 'terrarium.fonts';
const FACES = ['400 1em "Alegreya Sans"', '700 1em "Alegreya Sans"', '1em "IM Fell English"'];

/** Whether the page is drawn with its own fonts. */
export const hasFonts = (): boolean => 'fonts' in document.documentElement.dataset;

export function loadFonts(): void {
  if (hasFonts()) return;
  // Safari has no idle callbacks.
  (window.requestIdleCallback ?? setTimeout)(() => {
    // Wait for all fonts, so that the page is laid out again only once.
    void Promise.all(FACES.map((face) => document.fonts.load(face))).then(
      () => {
        document.documentElement.dataset['fonts'] = '';
        keep(KEY, true);
      },
      () => undefined,
    );
  });
}
