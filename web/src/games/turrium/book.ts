import type { Chapter } from '../../lib/learn/types';

/** The rule book of Terra Turrium: every rule once, in the order a new player meets them. */
export const book: Chapter[] = [
  {
    id: 'land',
    rules: ['TT-1', 'TT-2', 'TT-3', 'TT-4'],
    readings: { 'TT-1': 'reading', 'TT-2': 'reading', 'TT-3': 'reading' },
    figures: [
      {
        id: 'four',
        position:
          'turrium 4 1111111111/1111111111/1111111111/1112222111/1112222111/1112222111/1112222111/1111111111/1111111111/1111111111 0 flags 0/0/0/0 0/0/0/0 0 - - -',
        actions: [],
      },
      {
        id: 'three',
        position:
          'turrium 3 11111111/11111111/11222211/11222211/11222211/11222211/11111111/11111111 0 flags 0/0/0 0/0/0 0 - - -',
        actions: [],
        look: { view: 'above' },
      },
      {
        id: 'duel',
        position: 'turrium 2 111111/111111/111111/111111/111111/111111 0 flags 0/0 0/0 0 - - -',
        actions: ['@c3', '@d4', '@e5'],
        kind: 'flag',
      },
    ],
  },
  {
    id: 'taking',
    rules: ['TT-5', 'TT-6', 'TT-7', 'TT-16'],
    readings: { 'TT-5': 'reading', 'TT-7': 'reading', 'TT-16': 'reading' },
    figures: [
      {
        id: 'exterior',
        position: 'turrium 2 11B11B11B/1B11B11B1/211101/112111A/2A11A11A0/11A11A01 0 take:0 0/0 0/0 0 - - -',
        actions: [],
        kind: 'take',
        look: { view: 'above' },
      },
      {
        id: 'opened',
        position: 'turrium 2 11B11B11B/1B11B11B1/111110/112112/1A01A11A2/101A1A11A 0 take:0 0/0 0/0 0 - - -',
        actions: ['-d5', '-d6'],
        kind: 'take',
        look: { view: 'above' },
      },
    ],
  },
  {
    id: 'placing',
    rules: ['TT-8'],
    readings: { 'TT-8': 'reading' },
    figures: [
      {
        id: 'stacking',
        position: 'turrium 2 11B11B11B/1B11B11B1/111111/111111/1A11A11A1/11A11A11A 0 take:0 0/0 0/0 0 - - -',
        actions: ['-d4', '-h4', '-f4', '+e5', '+e5', '+d5'],
      },
    ],
  },
  {
    id: 'moving',
    rules: ['TT-9', 'TT-10'],
    readings: { 'TT-10': 'reading' },
    figures: [
      {
        id: 'steps',
        position: 'turrium 2 01B01B01B/1B01B11B1/100101/1A23402/1321A00/1A1A11A11A 0 move:5 0/0 0/0 0 - - -',
        actions: ['c5-d5', 'd5-e5', 'e5-f5'],
        look: { view: 'above' },
      },
    ],
  },
  {
    id: 'capturing',
    rules: ['TT-11', 'TT-12', 'TT-13'],
    readings: { 'TT-12': 'reading' },
    figures: [
      {
        id: 'captures',
        position: 'turrium 2 1111B11B/11111B1/112B110/11B2A3B01A/11111A0/1A1A11A10 0 move:5 0/0 0/0 0 - - -',
        actions: ['e5xd5'],
        from: 'e5',
        kind: 'capture',
        look: { view: 'above' },
      },
      {
        id: 'chain',
        position: 'turrium 2 1B11B11B1/111B1B11B/112A111/111110/1A11A11A1/11A11A11 0 move:5 0/0 0/0 0 - - -',
        actions: ['e6xe7', 'e7xe8'],
        look: { view: 'above' },
      },
      {
        id: 'entering',
        position: 'turrium 2 1B1B11B11B/011B11B1/111110/11A2A111/1A112A05/101A010 0 move:5 0/0 0/0 0 - - -',
        actions: ['@h4'],
        kind: 'flag',
      },
    ],
  },
  {
    id: 'winning',
    rules: ['TT-14', 'TT-15', 'TT-18', 'TT-19'],
    readings: { 'TT-14': 'reading', 'TT-15': 'reading', 'TT-18': 'house', 'TT-19': 'house' },
    figures: [
      {
        id: 'ladder',
        position: 'turrium 2 1B01B01B1B/01B01B00/011100/3A01000/02A5A010/1A4A55A00 0 take:0 0/0 0/0 20 - - -',
        actions: ['-g4', '+e3', 'e4-e3', 'end'],
      },
      {
        id: 'lastround',
        position:
          'turrium 2;two_player_area=8 5B54B3B2B1B00/15B111111/11111111/11100000/00000000/00000000/00000000/6A5A4A3A2A1A00 1 take:0 0/0 0/0 20 - 0 -',
        actions: ['-i8', '+c9', 'c8-c9', 'end'],
        look: { view: 'above' },
      },
    ],
  },
  {
    id: 'burgenland',
    rules: ['TT-17'],
    readings: { 'TT-17': 'reading' },
    figures: [
      {
        id: 'castles',
        position:
          'turrium 2;variant=burgenland 1B11B01B1B/01B01B11/011110/3A2A1000/02A4A010/14A5A000 0 move:5 0/0 0/0 20 - - -',
        actions: ['d5-e5'],
        look: { view: 'above' },
      },
    ],
  },
  {
    id: 'tips',
    rules: [],
    figures: [],
    tips: ['next', 'keep', 'low', 'cut', 'lost', 'save', 'turns'],
  },
  {
    id: 'faq',
    rules: [],
    figures: [],
    faq: ['must', 'again', 'flag', 'own', 'exterior', 'defence', 'captured', 'lose', 'where'],
  },
  {
    id: 'words',
    rules: [],
    figures: [
      {
        id: 'w-construction',
        position: 'turrium 2 111111/111111/123111/111101/101101/111111 0 flags 0/0 0/0 0 - - -',
        actions: [],
      },
      {
        id: 'w-tower',
        position: 'turrium 2 01B01B01B/1B01B11B1/100101/1A23402/1321A00/1A1A11A11A 0 move:5 0/0 0/0 0 - - -',
        actions: [],
      },
      {
        id: 'w-exterior',
        position: 'turrium 2 11B11B11B/1B11B11B1/211101/112111A/2A11A11A0/11A11A01 0 take:0 0/0 0/0 0 - - -',
        actions: [],
        kind: 'take',
        look: { view: 'above' },
      },
      {
        id: 'w-territory',
        position:
          'turrium 3 11111111/11111111/11222211/11222211/11222211/11222211/11111111/11111111 0 flags 0/0/0 0/0/0 0 - - -',
        actions: [],
        look: { view: 'above' },
      },
    ],
  },
  {
    id: 'notation',
    rules: [],
    figures: [],
  },
];
