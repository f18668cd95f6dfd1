import type { GameFacts } from '../types';
import { isAbove } from './look';

const POSITION =
  'turrium 4 1B1B11101C01C0/11111011C32/1B1121C11B200/01B1B221C2030/011212D2211/111A3222D2C22/02122A2221D1/1A1A121012D11/20001A20211D/1A00311111D0 0 move:4 0/1/0/0 0/1/0/0 5 - - -';

export const facts: GameFacts = {
  name: 'turrium',
  rulePrefix: 'TT',
  starterRule: 'TT-3',
  starter: () => 'lot',
  showcase: POSITION,
  sampleTurn: ['a3-a2', 'c5-c4', 'c4-d4', 'd4-d5'],
  short: { rules: { players: 2, max_rounds: 20 } },
  sample: POSITION,
  frame: (look) => (isAbove(look) ? 'fills' : ''),
  looks: [{ name: 'view', label: 'settings.turriumView', values: ['isometric', 'above'] }],
  page: async () => (await import('./page')).page,
  lesson: async () => (await import('./lesson')).lesson,
  book: async () => (await import('./book')).book,
  editor: async () => (await import('./editor')).editor,
  newBoard: async () => (await import('./NewBoard.svelte')).default,
};
