import type { Chapter } from '../../lib/learn/types';

/** The rule book of Terra Nova: every rule once, in the order a new player meets them. */
export const book: Chapter[] = [
  {
    id: 'island',
    rules: ['TN-1', 'TN-2', 'TN-3', 'TN-4', 'TN-5'],
    readings: { 'TN-1': 'reading', 'TN-5': 'reading' },
    figures: [
      {
        id: 'island',
        position: 'nova fr/2/pioneers=3 two-bays 5/8/10/10/6/10/10/8/5 0 place - 0,0 80 3,3 0 -',
        actions: ['@b5', '@f8', '@d3', '@c8', '@h7', '@g6'],
      },
    ],
  },
  {
    id: 'turn',
    rules: ['TN-6', 'TN-7', 'TN-8', 'TN-9'],
    readings: { 'TN-8': 'reading' },
    figures: [
      {
        id: 'turn',
        position:
          'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 4/3B1/A5/7/5A/1B3/4 0 1 - 0,0 80 0,0 0 -',
        actions: ['c1-c4', '+c3', 'e7-e4'],
      },
      {
        id: 'forfeit',
        position:
          'nova fr/3 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 3#/1A1#1/2##B1/##5/1B3C/2C2/4 0 1 - 0,0,0 74 0,0,0 0 -',
        actions: ['b2-c2', '+d3'],
      },
    ],
  },
  {
    id: 'moving',
    rules: ['TN-10', 'TN-11', 'TN-12'],
    readings: { 'TN-10': 'differ', 'TN-12': 'differ' },
    figures: [
      {
        id: 'lines',
        position:
          'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 4/1B3/6/3A1B1/1#4/3#1/4 0 1 - 0,0 78 0,0 0 -',
        actions: [],
        from: 'd4',
      },
      {
        id: 'returning',
        position:
          'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 4/1B3/6/3A3/6/5/1B2 0 1 - 0,0 80 0,0 0 -',
        actions: ['d4-d6', 'd6-f6'],
        from: 'd4',
      },
    ],
  },
  {
    id: 'stones',
    rules: ['TN-13', 'TN-14', 'TN-15', 'TN-21'],
    readings: { 'TN-13': 'reading', 'TN-14': 'reading', 'TN-15': 'reading', 'TN-21': 'reading' },
    figures: [
      {
        id: 'beside',
        position:
          'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 1B2/5/4B1/1A1#3/2B3/3A1/4 0 1 - 0,0 79 0,0 0 -',
        actions: ['d2-b2', 'f6-f4'],
        kind: 'stone',
      },
    ],
  },
  {
    id: 'territory',
    rules: ['TN-16', 'TN-17', 'TN-18', 'TN-19', 'TN-20'],
    readings: { 'TN-16': 'reading', 'TN-18': 'reading', 'TN-20': 'reading' },
    figures: [
      {
        id: 'closing',
        position:
          'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 1A1#/3#1/B1##2/1A3B1/1#1A2/1#1B1/#3 0 1 - 0,0 73 0,0 0 -',
        actions: ['d2-c2', '+d3'],
        look: { overlay: 'pay' },
      },
      {
        id: 'sharing',
        position:
          'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 1A1#/B2#1/2##1A/##5/3A2/3B1/4 0 1 - 0,0 74 0,0 0 -',
        actions: ['a2-b2', '+c2'],
        look: { overlay: 'pay' },
      },
      {
        id: 'tie',
        position:
          'nova fr/3 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 2#A/2#1B/A4C/4###/1B2C1/5/4 0 1 - 0,0,0 75 0,0,0 0 -',
        actions: ['c1-c3', '+c4'],
        look: { overlay: 'pay' },
      },
      {
        id: 'empty',
        position:
          'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 1B2/5/A2B2/5A1/#1#3/2#2/2#1 0 1 - 0,0 76 0,0 0 -',
        actions: ['d6-d3', '+e3'],
        look: { overlay: 'pay' },
      },
      {
        id: 'both',
        position: 'nova fr/2 =..M.M.F/.M.M.F.F/L.L.R.F.D/.L.R.D.D/..L.R.D 2#/A1##/#1##1/2B1/1B1 0 1 - 0,0 74 0,0 0 -',
        actions: ['b1-b2', '+c2'],
        look: { overlay: 'pay' },
      },
      {
        id: 'four',
        position:
          'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 1A1#/AA1#1/B2#A1/7/1##1B1/1#3/#3 0 1 - 0,0 73 0,0 0 -',
        actions: ['b2-c3', '+d4', '+d3'],
        look: { overlay: 'landscapes' },
      },
    ],
  },
  {
    id: 'end',
    rules: ['TN-22', 'TN-23', 'TN-24', 'TN-26', 'TN-27', 'TN-28', 'TN-25'],
    readings: {
      'TN-23': 'differ',
      'TN-24': 'differ',
      'TN-26': 'house',
      'TN-27': 'house',
      'TN-28': 'house',
      'TN-25': 'reading',
    },
    figures: [
      {
        id: 'blocked',
        position: 'nova fr/2 =..M.M.F/.M.M.F.F/L.L.R.F.D/.L.R.D.D/..L.R.D BA1/A3/2#2/1#A1/3 0 1 - 12,9 78 0,0 0 -',
        actions: ['d4-c4', 'c4-b3', 'b3-b2'],
      },
    ],
  },
  {
    id: 'tips',
    rules: [],
    figures: [],
    tips: ['spread', 'count', 'few', 'coast', 'split', 'late', 'tie'],
  },
  {
    id: 'faq',
    rules: [],
    figures: [],
    faq: ['lake', 'border', 'empty', 'stones', 'must', 'back', 'four', 'when', 'odd'],
  },
  {
    id: 'words',
    rules: [],
    figures: [
      {
        id: 'w-space',
        position: 'nova fr/2/pioneers=1 =M.M.F/.M.F.L/D.D.L 3/3/3 0 place - 0,0 80 1,1 0 -',
        actions: [],
      },
      {
        id: 'w-pioneer',
        position: 'nova fr/2 =M.M.F/.M.F.L/D.D.L 2B/1A1/3 0 1 - 0,0 80 0,0 0 -',
        actions: [],
        from: 'b3',
      },
      { id: 'w-stone', position: 'nova fr/2 =M.M.F/.M.F.L/D.D.L 2B/#A1/1#1 0 1 - 0,0 78 0,0 0 -', actions: [] },
      {
        id: 'w-region',
        position:
          'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 1A1#/3#1/B1##2/1A3B1/1#1A2/1#1B1/#3 0 1 - 0,0 73 0,0 0 -',
        actions: [],
        look: { overlay: 'regions' },
      },
      {
        id: 'w-territory',
        position:
          'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R xxx#/xxx#1/xx##2/xx#2B1/x#1A2/x#1B1/#3 0 3 - 24,0 72 0,0 + -',
        actions: [],
      },
    ],
  },
  {
    id: 'notation',
    rules: [],
    figures: [],
  },
];
