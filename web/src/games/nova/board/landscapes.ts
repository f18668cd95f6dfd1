/** How each landscape looks: the name of its colour, its texture and its engraved symbol. */

export const DRAWN = ['desert', 'field', 'forest', 'heath', 'lake', 'meadow', 'mountain', 'swamp'] as const;
export type Drawn = (typeof DRAWN)[number];

const isDrawn = (key: string): key is Drawn => (DRAWN as readonly string[]).includes(key);

/** The look of each landscape. A landscape that we do not know gets a look that the board does not use otherwise. */
export function looks(landscapes: readonly string[]): Drawn[] {
  const free = DRAWN.filter((key) => !landscapes.includes(key));
  return landscapes.map((key) => (isDrawn(key) ? key : (free.shift() ?? 'meadow')));
}

/** A number from 0 to `count` - 1 that depends only on the cell: symbols differ, but do not change when drawn again. */
export function variantOf(cell: string, count: number): number {
  let hash = 7;
  for (const letter of cell) hash = (hash * 31 + letter.charCodeAt(0)) % 9973;
  return hash % count;
}
