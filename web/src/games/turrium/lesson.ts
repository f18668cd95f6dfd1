import type { Step } from '../../lib/learn/types';

/** A first game of Terra Turrium in short steps; yellow is the reader. */
export const lesson: Step[] = [
  {
    id: 'flags',
    position: 'turrium 2 111111/111111/111111/111111/1A11A111/11A11A11 0 flags 0/0 0/0 0 - - -',
    goal: { kind: 'turn' },
    solution: ['@h3', '@g5'],
  },
  {
    id: 'take',
    position: 'turrium 2 11B11B11B/1B11B11B1/111111/111111/1A11A11A1/11A11A11A 0 take:0 0/0 0/0 0 - - -',
    goal: { kind: 'actions', count: 3, action: 'take' },
    solution: ['-d4', '-f4', '-h4'],
  },
  {
    id: 'stack',
    position: 'turrium 2 11B11B11B/1B11B11B1/111111/111111/1A01A01A0/11A11A11A 0 place:3 0/0 0/0 0 - - -',
    goal: { kind: 'event', event: 'cube-placed', where: { cell: 'e5' }, count: 2 },
    solution: ['+e5', '+e5'],
  },
  {
    id: 'whole',
    position: 'turrium 2 11B11B11B/1B11B11B1/111111/111111/1A12A11A0/11A11A11A 0 take:0 0/0 0/0 0 - - -',
    goal: { kind: 'ladder', held: [3] },
    finish: true,
    solution: ['-c5', '-g5', '+e5', '+e5', 'e4-e5', 'end'],
  },
  {
    id: 'enemy',
    position: 'turrium 2 11B11B11B/1B11B11B1/211101/112111A/2A11A11A0/11A11A01 0 take:0 0/0 0/0 0 - - -',
    goal: { kind: 'event', event: 'cube-taken', where: { is_enemy: true } },
    solution: ['-h7'],
  },
  {
    id: 'climb',
    position: 'turrium 2 11B11B11B/1B11B11B1/100001/1A23402/10111A0/1A1A11A11A 0 move:5 0/0 0/0 0 - - -',
    goal: { kind: 'cells', cells: ['f5'] },
    solution: ['c5-d5', 'd5-e5', 'e5-f5'],
  },
  {
    id: 'build',
    position: 'turrium 2 11B11B11B/1B11B11B1/011210/2A11110/13A12A11A/01A111A0 0 take:0 0/0 0/0 0 - - -',
    goal: { kind: 'ladder', held: [4] },
    solution: ['-e3', '-g5', '-f5', '+d5', '+d5', '+d5', 'd4-d5'],
  },
  {
    id: 'freeze',
    position: 'turrium 2 11B11B11B/1B11B11B1/120001/123A400/10111A0/1A1A11A11A 0 move:5 0/0 0/0 0 - - -',
    goal: { kind: 'cells', cells: ['f5'] },
    solution: ['e5-f5'],
  },
  {
    id: 'defend',
    position: 'turrium 2 1B1B11B11B/01111B1/111110/11B2111A/12A121A1/1A11A1A10 0 move:5 0/0 0/0 0 - - -',
    goal: { kind: 'event', event: 'flag-captured' },
    solution: ['d4xd5'],
  },
  {
    id: 'attack',
    position: 'turrium 2 1B1B11B11B/01111B1/013B110/112211A/11A211A0/1A1A11A10 0 move:5 0/0 0/0 0 - - -',
    goal: { kind: 'event', event: 'flag-captured', where: { cost: 3 } },
    solution: ['d4-e4', 'e4-e5', 'e5xe6'],
  },
  {
    id: 'enter',
    position: 'turrium 2 1B1B11B11B/011B11B1/111110/11A2A111/1A112A05/101A010 0 move:5 0/0 0/0 0 - - -',
    goal: { kind: 'event', event: 'flag-entered', where: { cell: 'h4' } },
    solution: ['@h4'],
  },
  {
    id: 'win',
    position: 'turrium 2 1B01B01B1B/01B01B00/011100/3A01000/02A5A010/1A4A55A00 0 take:0 0/0 0/0 20 - - -',
    goal: { kind: 'event', event: 'towers-completed' },
    solution: ['-g4', '+e3', 'e4-e3', 'end'],
  },
  {
    id: 'last',
    position:
      'turrium 2;two_player_area=8 5B54B3B2B1B00/15B111111/11111111/11100000/00000000/00000000/00000000/6A5A4A3A2A1A00 1 take:0 0/0 0/0 20 - 0 -',
    goal: { kind: 'event', event: 'towers-completed' },
    solution: ['-i8', '+c9', 'c8-c9', 'end'],
  },
];
