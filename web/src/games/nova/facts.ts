import type { GameFacts } from '../types';

export const facts: GameFacts = {
  name: 'nova',
  rulePrefix: 'TN',
  starterRule: 'TN-4',
  starter: (rules) => (rules['edition'] === 'nl' ? 'lot' : 'first'),
  board: 'terra-nova',
  showcase:
    'nova fr/3 terra-nova 3/6/1C2#2A/1AB1#5/4C##B3/1##B#A7/2C9A1/4B3#3#1/4#4#AC2/1###BA3#1#2/2B#C#2#B#2/#1#1A1A#4C/1A#4C5/#1B1CA#1B1C/2C4/3/B 2 1 - 0,0,0 54 0,0,0 1 -',
  sampleTurn: ['k8-m10', '+l9', '+m9'],
  short: { rules: { players: 2, pioneers: 6 }, board: 'two-bays' },
  sample:
    'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 1A1#/3#1/B1##2/1A3B1/1#1A2/1#1B1/#3 0 1 - 0,0 73 0,0 0 -',
  frame: () => 'sea',
  screens: [{ path: '/learn/editions', load: () => import('./Editions.svelte'), areas: ['learn'] }],
  page: async () => (await import('./page')).page,
  lesson: async () => (await import('./lesson')).lesson,
  book: async () => (await import('./book')).book,
  example: async () => (await import('./example')).EXAMPLE,
  editor: async () => (await import('./editor')).editor,
  newBoard: async () => (await import('./NewBoard.svelte')).default,
};
