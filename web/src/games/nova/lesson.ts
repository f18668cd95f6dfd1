import type { Step } from '../../lib/learn/types';

/** A first game of Terra Nova in short steps; yellow is the reader. */
export const lesson: Step[] = [
  {
    id: 'place',
    position:
      'nova fr/2/pioneers=2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 4/5/6/7/6/5/4 0 place - 0,0 80 2,2 0 -',
    goal: { kind: 'actions', count: 1, action: 'place', targets: ['d3', 'd4', 'e3', 'e4', 'e5', 'f4'] },
    solution: ['@e4'],
  },
  {
    id: 'move',
    position:
      'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 4/2B2/6/A6/5B/2A2/4 0 1 - 0,0 80 0,0 0 -',
    goal: { kind: 'actions', count: 1, action: 'move', targets: ['d7'] },
    solution: ['d1-d7'],
  },
  {
    id: 'corner',
    position:
      'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R A3/3B1/2#3/6A/4B1/5/4 0 1 - 0,0 79 0,0 0 -',
    goal: { kind: 'cells', cells: ['g5'] },
    solution: ['a1-c1', 'c1-g5'],
  },
  {
    id: 'stone',
    position:
      'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R A3/5/4B1/7/5A/1B3/4 0 1 - 0,0 80 0,0 0 -',
    goal: { kind: 'actions', count: 1, action: 'stone', targets: ['d4'] },
    solution: ['a1-c3', '+d4'],
  },
  {
    id: 'three',
    position:
      'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 4/1B3/3A2/7/5A/1B3/4 0 1 - 0,0 80 0,0 0 -',
    goal: { kind: 'turn' },
    finish: true,
    solution: ['c4-c6', '+d6', 'e7-e3'],
  },
  {
    id: 'returning',
    position:
      'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 4/1B3/6/7/6/3A1/1B2 0 3 f6<d4 0,0 80 0,0 0 -',
    goal: { kind: 'cells', cells: ['e5'] },
    solution: ['f6-e5'],
  },
  {
    id: 'close',
    position:
      'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 3#/1A1#1/2##A1/##5/1B4/2B2/4 0 1 - 0,0 74 0,0 0 -',
    goal: { kind: 'event', event: 'territory-scored', where: { 'awards.0': 24 } },
    solution: ['b2-c2', '+d3'],
  },
  {
    id: 'richer',
    position:
      'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 1A1#/B2#1/A1##2/#1##1B1/2A3/2#B1/##2 0 1 - 0,0 70 0,0 0 -',
    goal: { kind: 'event', event: 'territory-scored', where: { 'awards.0': 24 } },
    solution: ['c1-c2', '+d2'],
  },
  {
    id: 'majority',
    position:
      'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 1A1#/B2#1/2##1A/##5/2A3/3B1/4 0 1 - 0,0 74 0,0 0 -',
    goal: { kind: 'event', event: 'territory-scored', where: { 'awards.0': 24 } },
    solution: ['e4-c2', '+d3'],
  },
  {
    id: 'share',
    position:
      'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 1AB#/B2#1/2##1A/##5/2A3/3B1/4 0 1 - 0,0 74 0,0 0 -',
    goal: { kind: 'event', event: 'territory-scored', where: { 'awards.0': 12 } },
    solution: ['e4-c2', '+d3'],
  },
  {
    id: 'both',
    position:
      'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R A2#/3#x/3#xx/###1#xx/2A1#x/A1##x/1B#x 0 1 - 0,8 69 0,0 0 -',
    goal: { kind: 'event', event: 'territory-scored', where: { 'awards.0': 1 }, count: 2 },
    solution: ['e4-d4', '+c3'],
  },
  {
    id: 'last',
    position:
      'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 1A1#/AA1#1/B2#A1/3#3/1##1B1/1#3/#3 0 1 - 0,0 72 0,0 0 -',
    goal: { kind: 'event', event: 'territory-scored', where: { 'awards.0': 13 } },
    solution: ['b2-c2', '+d3'],
  },
  {
    id: 'threat',
    position:
      'nova fr/2 =...M.M.M.F/..M.M.M.F.F/.M.M.F.F.F.D/W.W.L.L.F.D.D/.W.L.L.L.D.D/..W.L.R.R.D/...S.S.R.R 3#/1B1#1/2##1B/##5/2A3/3A1/2#1 0 1 - 0,0 73 0,0 0 -',
    goal: {
      kind: 'any',
      of: [
        { kind: 'cells', cells: ['a1', 'a2', 'a3', 'b1', 'b3', 'c1', 'c2'], count: 1 },
        { kind: 'event', event: 'territory-scored', where: { 'awards.0': 12 } },
      ],
    },
    finish: true,
    solution: ['e4-c2', 'f6-f5', 'f5-f4'],
  },
  {
    id: 'blocked',
    position: 'nova fr/2 =..M.M.F/.M.M.F.F/L.L.R.F.D/.L.R.D.D/..L.R.D BA1/A3/2#2/1#A1/3 0 1 - 20,15 78 0,0 0 -',
    goal: { kind: 'event', event: 'game-ended', where: { 'outcome.reason': 'blocked' } },
    solution: ['d4-c4', 'c4-b3', 'b3-b2'],
  },
  {
    id: 'win',
    position: 'nova fr/2 =..M.M.F/.M.M.F.F/L.L.R.F.D/.L.R.D.D/..L.R.D B1#/2##/#1##1/A1A1/1BA 0 1 - 8,10 74 0,0 0 -',
    goal: { kind: 'event', event: 'game-ended', where: { 'outcome.scores.0': 17 } },
    solution: ['d2-b2', '+c2'],
  },
];
