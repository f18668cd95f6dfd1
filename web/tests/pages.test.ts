import { expect, test } from 'vitest';

import { withAllTurns } from '../src/lib/net/history';
import type { Snapshot, Turn } from '../src/lib/net/types';

const turns = (first: number, last: number, later = 0): Turn[] =>
  Array.from({ length: last - first + 1 }, (_, i) => ({ number: first + i, seq: first + i + 1 + later }) as Turn);
const snapshot = (first: number, last: number, later = 0) =>
  ({ id: 'x', turns: turns(first, last, later), turns_omitted: first - 1 }) as Snapshot;

const asked: number[] = [];
const page = (_: string, before: number) => {
  asked.push(before);
  return Promise.resolve({ turns: turns(Math.max(1, before - 500), before - 1), omitted: Math.max(0, before - 501) });
};

test('earlier turns are requested page by page', async () => {
  asked.length = 0;
  const found = await withAllTurns(snapshot(1201, 1700), [], page);
  expect(found.turns.map((turn) => turn.number)).toEqual(turns(1, 1700).map((turn) => turn.number));
  expect([found.turns_omitted, asked]).toEqual([0, [1201, 701, 201]]);
});

test('known turns are not requested again, unless they were taken back', async () => {
  asked.length = 0;
  expect((await withAllTurns(snapshot(202, 701), turns(1, 700), page)).turns).toHaveLength(701);
  expect(asked).toEqual([]);
  await withAllTurns(snapshot(202, 701, 5), turns(1, 700), page);
  expect(asked).toEqual([202]);
});
