import { expect, test } from 'vitest';
import { written } from '../src/lib/game/clock';

test.each([
  [9_990, '9.9'],
  [9_400, '9.4'],
  [10_000, '0:10'],
  [245_999, '4:05'],
  [3_723_000, '1:02:03'],
  [183_600_000, '2 d 3 h'],
])('%i milliseconds are shown as %s', (milliseconds, text) => {
  expect(written(milliseconds)).toBe(text);
});
