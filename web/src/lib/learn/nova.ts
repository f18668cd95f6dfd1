import type { Chapter } from './types';

/** The rule book of Terra Nova: every rule once, in the order a new player meets them. */
export const book: Chapter[] = [
  { id: 'island', rules: ['TN-1', 'TN-2', 'TN-3', 'TN-4', 'TN-5'], figures: [] },
  { id: 'turn', rules: ['TN-6', 'TN-7', 'TN-8', 'TN-9'], figures: [] },
  { id: 'moving', rules: ['TN-10', 'TN-11', 'TN-12'], figures: [] },
  { id: 'stones', rules: ['TN-13', 'TN-14', 'TN-15', 'TN-21'], figures: [] },
  { id: 'territory', rules: ['TN-16', 'TN-17', 'TN-18', 'TN-19', 'TN-20'], figures: [] },
  { id: 'end', rules: ['TN-22', 'TN-23', 'TN-24', 'TN-25', 'TN-26', 'TN-27', 'TN-28'], figures: [] },
];
