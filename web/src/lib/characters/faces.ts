/** The faces of the computer players: one animal for each level, and one accessory for each player of a level. */

export interface Animal {
  /** Shapes in the colour of the body, in a second colour, and lines; in a square of 48. */
  body: string;
  second?: string;
  lines?: string;
  /** The eyes: x and y of the centre, and the radius. */
  eyes: readonly (readonly [number, number, number])[];
  /** The places for an accessory on the head and for one around the neck. */
  top: readonly [number, number];
  neck: readonly [number, number];
}

const SNAIL: Animal = {
  body: 'M6 38q-1-7 6-8l3-9q4-3 6 1l-1 8q8 8 22 4 2 6-4 6H9q-3 0-3-2z',
  second: 'M19 24a12 12 0 1 1 23 4q-2 7-11 7-12 0-12-11z',
  lines: 'M31 24q0-3 3-3t3 5-6 5-7-7 7-7M13 22l-3-9M18 20l1-9M9 34q2 2 4 1',
  eyes: [
    [10, 12, 2.6],
    [19.5, 10.5, 2.6],
  ],
  top: [31, 12.5],
  neck: [15, 31],
};

const LADYBIRD: Animal = {
  body: 'M7 31a17 15 0 0 1 34 0q0 9-17 9T7 31z',
  second: 'M15 18a9 8.5 0 0 1 18 0q-4 5-9 5t-9-5z',
  lines: 'M24 23v17M13 28v.01M18 35v.01M35 28v.01M30 35v.01M19 10q-2-5-6-5M29 10q2-5 6-5M12 39l-3 4M36 39l3 4',
  eyes: [
    [20, 15.5, 2.6],
    [28, 15.5, 2.6],
  ],
  top: [24, 8],
  neck: [24, 23],
};

const FROG: Animal = {
  body: 'M6 30q0-9 7-11-2-9 5-9 5 0 5.5 6h1q.5-6 5.5-6 7 0 5 9 7 2 7 11 0 10-18 10T6 30z',
  second: 'M12 33q12 5 24 0-3 7-12 7t-12-7z',
  lines: 'M11 29q13 8 26 0M22 24v.01M26 24v.01',
  eyes: [
    [17.5, 15.5, 3.4],
    [30.5, 15.5, 3.4],
  ],
  top: [24, 14],
  neck: [24, 36],
};

const GECKO: Animal = {
  body: 'M24 8q13 2 16 13 2 9-9 15l-7 4-7-4Q6 30 8 21 11 10 24 8z',
  second: 'M24 28q8 0 9 5l-9 7-9-7q1-5 9-5z',
  lines: 'M15 32q9 5 18 0M22 27v.01M26 27v.01M24 12v5M19 13l1 4M29 13l-1 4',
  eyes: [
    [13.5, 21, 4.2],
    [34.5, 21, 4.2],
  ],
  top: [24, 8],
  neck: [24, 35],
};

const TORTOISE: Animal = {
  body: 'M5 21q0-7 7-7 8 0 8 8l-1 14-5 4q-4-4-4-10-5-2-5-9zM22 40v-5h6v5zM36 40v-5h6v5z',
  second: 'M17 36q0-20 15-20 13 0 13 20z',
  lines: 'M27 24l5-3 5 3v6l-5 3-5-3zM27 24l-5-3M37 24l4-3M32 33v3M27 30l-7 2M37 30l7 1M6 25q3 2 6 1',
  eyes: [[11, 20, 2.8]],
  top: [12, 14],
  neck: [15, 32],
};

const CHAMELEON: Animal = {
  body: 'M7 29q2-10 11-14 5-9 14-10 2 6 6 9 6 8 4 20-2 6-9 6-4-7-12-7-9 2-14-4z',
  second: 'M18 15q5-9 14-10 2 6 6 9-9-3-20 1z',
  lines: 'M8 29q8 1 14-2M38 22q3 3 3 7M35 33q4 0 6-2',
  eyes: [[21, 21, 5.2]],
  top: [32, 6],
  neck: [33, 36],
};

const SNAKE: Animal = {
  body: 'M12 40q-8 0-8-6t8-6h19q4 0 4-3t-4-3h-7q-9 0-9-8 0-9 11-9 13 0 14 9 5 3 5 11 0 5-5 7 3 2 3 5 0 3-5 3z',
  second: 'M10 34h26q6 0 6 3 0 3-5 3H12q-8 0-8-6z',
  lines: 'M16 17q5 3 10 1M18 19l-4 5M14 24l-3 0M14 24l0 3M30 13v.01M34 17v.01M36 22v.01',
  eyes: [
    [21, 12, 2.8],
    [28.5, 11, 2.8],
  ],
  top: [26, 5],
  neck: [33, 25],
};

const DRAGON: Animal = {
  body: 'M10 24q0-10 14-11 14 1 14 11 0 7-4 9l-3 7q-7 4-14 0l-3-7q-4-2-4-9z',
  second: 'M13 15L6 3q9 2 12 10zM35 15l7-12q-9 2-12 10zM17 33q7-4 14 0l-1 6q-6 3-12 0z',
  lines: 'M21 35v.01M27 35v.01M24 13V7M20 14l-2-5M28 14l2-5M14 20l6 2M34 20l-6 2M10 26l-5 3 6 1M38 26l5 3-6 1',
  eyes: [
    [18, 25, 3],
    [30, 25, 3],
  ],
  top: [24, 12],
  neck: [24, 37],
};

export const ANIMALS: readonly Animal[] = [SNAIL, LADYBIRD, FROG, GECKO, TORTOISE, CHAMELEON, SNAKE, DRAGON];

/** A player's accessory, centred at (0, 0), and the colours of its animal. */
export const PLAYERS = [
  { wears: 'M0 1q-1-9 7-9 1 8-7 9zM0 1q2-4 5-6', place: 'top', colours: ['#8fae5a', '#d9a441', '#4f7a3a'] },
  {
    wears: 'M-10 0q10 5 20 0l1 4q-11 5-22 0zM3 4l3 8h4l-3-9z',
    place: 'neck',
    colours: ['#d98d5f', '#e9c98c', '#9c3d33'],
  },
  { wears: 'M-8 1h16M-5 1q-1-8 5-8t5 8z', place: 'top', colours: ['#6fa3a8', '#c9d7b0', '#2f5a66'] },
  {
    wears: 'M0-6a3 3 0 1 1 3 3 3 3 0 1 1-3 3 3 3 0 1 1-3-3 3 3 0 1 1 3-3zM0-3h.01',
    place: 'top',
    colours: ['#a98bb5', '#e3bcc4', '#6d4579'],
  },
] as const;
