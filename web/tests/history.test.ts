/** Places in a game's history, turns in short form, and losses in words. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadPage } from '../src/games/index.svelte';
import { stepped, turned, type Cursor } from '../src/lib/game/cursor';
import { eventsOf } from '../src/lib/game/notation';
import { tokens } from '../src/lib/game/tokens';
import { turnLines } from '../src/lib/game/words';
import { speak, t } from '../src/lib/i18n/index.svelte';
import type { SeatView, Turn } from '../src/lib/net/types';

const TURNS = [{ actions: ['@a1'] }, { actions: ['a1-a2', '+a1', '+a3'] }, { actions: [] }];

function walk(from: Cursor, by: 1 | -1): string[] {
  const seen: string[] = [];
  for (let at = from, i = 0; i < 10; i++) {
    const next = stepped(at, by, TURNS);
    if (next.turn === at.turn && next.done === at.done) break;
    seen.push(`${next.turn}.${next.done}`);
    at = next;
  }
  return seen;
}

describe('a place in the history', () => {
  it('steps through every action forwards and backwards', () => {
    expect(walk({ turn: 0, done: 0 }, 1)).toEqual(['1.0', '1.1', '1.2', '2.0', '3.0']);
    expect(walk({ turn: 3, done: 0 }, -1)).toEqual(['2.0', '1.2', '1.1', '1.0', '0.0']);
  });

  it('goes back to the beginning of a turn from within it', () => {
    expect(turned({ turn: 1, done: 2 }, -1)).toBe(1);
    expect(turned({ turn: 1, done: 2 }, 1)).toBe(2);
    expect(turned({ turn: 1, done: 0 }, -1)).toBe(0);
  });
});

describe('the events of actions', () => {
  it('are assigned action by action', () => {
    const events = [
      { kind: 'moved', source: 'a1', target: 'a2' },
      { kind: 'stone-placed', cell: 'a1' },
      { kind: 'territory-scored', cells: ['b1'] },
      { kind: 'stone-placed', cell: 'a3' },
      { kind: 'turn-ended' },
    ];
    const turn = { actions: ['a1-a2', '+a1', '+a3'], events };
    expect([0, 1, 2, 3].map((count) => eventsOf(turn, count).length)).toEqual([0, 1, 3, 5]);
  });
});

describe('a turn in short form', () => {
  it('groups actions of the same kind and joins steps to one path', () => {
    expect(tokens(['-c3', '-c4', '+e4', 'd5-c5', 'e5xe6', 'e6-e7', 'e7-d7', 'end'])).toEqual([
      { kind: 'take', text: 'c3 c4' },
      { kind: 'stone', text: 'e4' },
      { kind: 'move', text: 'd5 → c5' },
      { kind: 'capture', text: 'e5 → e6' },
      { kind: 'move', text: 'e6 → e7 → d7' },
    ]);
    expect(tokens(['end'])).toEqual([]);
  });
});

describe('what the reader lost', () => {
  const seats = ['Ada', 'Bo', 'Cleo'].map(
    (name, seat) => ({ seat, name, kind: 'device', level: null, colour: 'red' }) as unknown as SeatView,
  );
  const scored = { kind: 'territory-scored', cells: ['a1', 'a2'], points: 6, pioneers: [1, 2, 0], awards: [0, 6, 0] };
  const turn = (seat: number): Pick<Turn, 'seat' | 'actions' | 'events'> => ({
    seat,
    actions: ['+a3'],
    events: [{ kind: 'stone-placed', seat, cell: 'a3' }, scored],
  });

  beforeAll(async () => {
    await speak('board', 'common', 'story');
    await loadPage('nova');
  });

  it('is emphasised when others get a territory with pioneers of the reader, and only for that reader', () => {
    const words = t('story.loss.territory-scored', { names: 'Bo', cells: 2, pioneers: 1 });
    expect(turnLines('nova', turn(1), seats, [0])[1]).toEqual({ text: words, isLoss: true });
    expect(turnLines('nova', turn(1), seats, [2]).map((line) => line.isLoss)).toEqual([false, false]);
    expect(turnLines('nova', turn(0), seats, [0]).map((line) => line.isLoss)).toEqual([false, false]);
    expect(turnLines('nova', turn(1), seats).map((line) => line.isLoss)).toEqual([false, false]);
  });

  it('and did is described in the second person', () => {
    const [stone, territory] = turnLines('nova', turn(1), seats, [1]);
    expect(stone?.text).toBe(t('story.you.stone-placed', { cell: 'a3' }));
    expect(territory?.text).toBe(t('story.you.territory-scored', { cells: 2, points: 6 }));
    const [named] = turnLines('nova', turn(1), seats, [0, 1]);
    expect(named?.text).toBe(t('board.event.stone-placed', { name: 'Bo', cell: 'a3' }));
  });
});
