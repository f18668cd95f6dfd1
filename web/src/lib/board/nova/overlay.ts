/** What the overlay of the island tells. */
export type Overlay = 'none' | 'regions' | 'landscapes' | 'leader' | 'pay';
