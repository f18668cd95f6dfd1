/** How each landscape looks: the name of its colour, its texture and its engraved symbol. */

export const DRAWN = ['desert', 'field', 'forest', 'heath', 'lake', 'meadow', 'mountain', 'swamp'] as const;
export type Drawn = (typeof DRAWN)[number];

const isDrawn = (key: string): key is Drawn => (DRAWN as readonly string[]).includes(key);

/** Boards may name landscapes of their own: those borrow a look that no named one of the board uses. */
export function looks(landscapes: readonly string[]): Drawn[] {
  const free = DRAWN.filter((key) => !landscapes.includes(key));
  return landscapes.map((key) => (isDrawn(key) ? key : (free.shift() ?? 'meadow')));
}

/** A small number that is always the same for a cell: symbols vary without flickering. */
export function dice(cell: string, sides: number): number {
  let hash = 7;
  for (const letter of cell) hash = (hash * 31 + letter.charCodeAt(0)) % 9973;
  return hash % sides;
}
