import type { Chapter } from './types';

/** The rule book of Terra Turrium: every rule once, in the order a new player meets them. */
export const book: Chapter[] = [
  { id: 'land', rules: ['TT-1', 'TT-2', 'TT-3', 'TT-4'], figures: [] },
  { id: 'taking', rules: ['TT-5', 'TT-6', 'TT-7', 'TT-16'], figures: [] },
  { id: 'placing', rules: ['TT-8'], figures: [] },
  { id: 'moving', rules: ['TT-9', 'TT-10', 'TT-11', 'TT-12', 'TT-13'], figures: [] },
  { id: 'winning', rules: ['TT-14', 'TT-15', 'TT-17', 'TT-18', 'TT-19'], figures: [] },
];
