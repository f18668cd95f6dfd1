/** The glyphs that the page offers, with their numbers in records. */
export const GLYPHS: readonly (readonly [number, string])[] = [
  [1, '!'],
  [2, '?'],
  [3, '!!'],
  [4, '??'],
  [5, '!?'],
  [6, '?!'],
];

/** The signs of a turn's glyphs, to be written after it. */
export const signs = (glyphs: readonly number[]): string =>
  GLYPHS.filter(([glyph]) => glyphs.includes(glyph))
    .map(([, sign]) => sign)
    .join(' ');
