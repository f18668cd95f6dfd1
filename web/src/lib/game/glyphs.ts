/** The glyphs that people set, with the numbers that records have for them. */
export const GLYPHS: readonly (readonly [number, string])[] = [
  [1, '!'],
  [2, '?'],
  [3, '!!'],
  [4, '??'],
  [5, '!?'],
  [6, '?!'],
];

/** The signs of a turn's glyphs, as they stand behind it. */
export const signs = (glyphs: readonly number[]): string =>
  GLYPHS.filter(([glyph]) => glyphs.includes(glyph))
    .map(([, sign]) => sign)
    .join(' ');
