import { describe, expect, it } from 'vitest';
import { follow, movesIn } from '../src/lib/board/pieces';
import { left, written as clockText } from '../src/lib/game/clock';
import { loadPage } from '../src/games/index.svelte';
import { page as novaPage } from '../src/games/nova/page';
import type { NovaView } from '../src/games/nova/view';
import { page as turriumPage } from '../src/games/turrium/page';
import type { TurriumView } from '../src/games/turrium/view';
import { parts } from '../src/lib/game/notation';
import { direct, fromSource, modes, sources } from '../src/lib/game/targets';
import { format } from '../src/lib/i18n/format';
import { reached } from '../src/lib/learn/goal';
import type { Action } from '../src/lib/net/types';

const action = (text: string, kind: string): Action => ({
  text,
  kind,
  source: parts(text).source,
  target: parts(text).target,
});

describe('pieces keep their identity', () => {
  const before = follow([], { a1: 0, b2: 1, c3: 0 });

  it('when they stay', () => {
    expect(follow(before, { a1: 0, b2: 1, c3: 0 })).toEqual(before);
  });

  it('when they move, even if two exchange cells', () => {
    const after = follow(before, { a1: 0, b2: 1, c3: 0 }, [
      ['a1', 'd4'],
      ['c3', 'a1'],
      ['d4', 'c3'],
    ]);
    const id = (list: typeof after, cell: string) => list.find((piece) => piece.cell === cell)?.id;
    expect(id(after, 'c3')).toBe(id(before, 'a1'));
    expect(id(after, 'a1')).toBe(id(before, 'c3'));
    expect(id(after, 'b2')).toBe(id(before, 'b2'));
  });

  it('when the same turn is applied again with one more action', () => {
    const first = follow(before, { d4: 0, b2: 1, c3: 0 }, [['a1', 'd4']]);
    const second = follow(first, { d4: 0, b2: 1, a1: 0 }, [
      ['a1', 'd4'],
      ['c3', 'a1'],
    ]);
    const third = follow(second, { d4: 0, b2: 1, a1: 0 }, [
      ['a1', 'd4'],
      ['c3', 'a1'],
    ]);
    expect(third.map(({ id, cell }) => [id, cell])).toEqual(second.map(({ id, cell }) => [id, cell]));
    expect(second.find((piece) => piece.cell === 'a1')?.from).toBe('c3');
    expect(
      third.every((piece) => piece.from === undefined),
      'nothing slides twice',
    ).toBe(true);
    expect(second.find((piece) => piece.cell === 'd4')?.id).toBe(before.find((piece) => piece.cell === 'a1')?.id);
  });

  it('and never get the id of another seat’s piece', () => {
    const after = follow(before, { a1: 1 });
    expect(after[0]?.id).not.toBe(before.find((piece) => piece.cell === 'a1')?.id);
  });

  it('reads moves from notation', () => {
    expect(movesIn(['e7-e12', '+d8', 'c4xc5', '-c3', '@a1', 'end'])).toEqual([
      ['e7', 'e12'],
      ['c4', 'c5'],
    ]);
  });
});

describe('what can be clicked follows from the legal actions', () => {
  const legal = [action('a1-a2', 'move'), action('a1-a3', 'move'), action('b1-b2', 'move'), action('+c1', 'stone')];

  it('sources, targets and modes', () => {
    expect([...sources(legal)]).toEqual(['a1', 'b1']);
    expect([...fromSource(legal, 'a1').keys()]).toEqual(['a2', 'a3']);
    expect([...direct(legal, 'stone').keys()]).toEqual(['c1']);
    expect(modes(legal)).toEqual(['stone']);
  });

  it('two kinds on one cell need a mode', () => {
    const both = [action('-c3', 'take'), { ...action('+c3', 'cube') }];
    expect(modes(both)).toEqual(['take', 'cube']);
    expect(direct(both, 'cube').get('c3')?.actions).toEqual(['+c3']);
  });

  it('a path of several steps is one click, with its cost and its cells', () => {
    const way = fromSource([action('a1-a2', 'step')], 'a1', [{ target: 'a3', actions: ['a1-a2', 'a2xa3'], points: 3 }]);
    expect(way.get('a3')).toEqual({ kind: 'capture', actions: ['a1-a2', 'a2xa3'], cost: 3, path: ['a1', 'a2', 'a3'] });
    expect(way.get('a2')?.actions).toEqual(['a1-a2']);
  });
});

describe('an action is drawn before the server answers', () => {
  const nova = {
    game: 'nova',
    to_move: 1,
    pioneers: { a1: 1 },
    stones: [],
    moved: [],
    supply: 5,
    hand: [0, 0],
    actions_left: 3,
  } as unknown as NovaView;
  const turrium = {
    game: 'turrium',
    to_move: 0,
    heights: { c3: 2 },
    flags: { c3: 0 },
    cubes_in_hand: 0,
    hand: [1, 0],
  } as unknown as TurriumView;

  it('moves, places and stones', () => {
    const moved = novaPage.shown(nova, action('a1-a4', 'move')) as NovaView;
    expect(moved.pioneers).toEqual({ a4: 1 });
    expect(moved.moved).toEqual(['a4']);
    expect((novaPage.shown(moved, action('+a3', 'stone')) as NovaView).stones).toEqual(['a3']);
    expect(nova.pioneers).toEqual({ a1: 1 });
  });

  it('cubes and flags', () => {
    const taken = turriumPage.shown(turrium, { kind: 'take', source: null, target: 'd4' }) as TurriumView;
    expect([taken.heights['d4'], taken.cubes_in_hand]).toEqual([-1, 1]);
    const stepped = turriumPage.shown(turrium, { kind: 'capture', source: 'c3', target: 'c4' }) as TurriumView;
    expect(stepped.flags).toEqual({ c4: 0 });
    expect((turriumPage.shown(turrium, { kind: 'flag', source: null, target: 'e5' }) as TurriumView).hand).toEqual([
      0, 0,
    ]);
  });
});

describe('words', () => {
  it('fills in values and chooses plurals of the language', () => {
    expect(format('{name} wins', { name: 'A' })).toBe('A wins');
    expect(format('{n, plural, =0 {none} one {# stone} other {# stones}} left', { n: 0 })).toBe('none left');
    expect(format('{names} share', { names: ['Red', 'Blue', 'Green'] })).toBe('Red, Blue and Green share');
    expect(format('{names}', { names: ['Rouge', 'Bleu'] }, 'fr')).toBe('Rouge et Bleu');
    expect(format('{n, plural, one {# stone} other {# stones}}', { n: 1 })).toBe('1 stone');
    expect(format('{n, plural, one {# borne} other {# bornes}}', { n: 0 }, 'fr')).toBe('0 borne');
    expect(format('{n, plural, one {{name} has one} other {{name} has #}}', { n: 3, name: 'B' })).toBe('B has 3');
  });
});

describe('clocks', () => {
  const clock = { kind: 'game' as const, seconds: 60, increment: 0, remaining_ms: [60_000, 30_000], running: 1 };

  it('run only for the seat to move', () => {
    expect(left(clock, 0, 5000)).toBe(60_000);
    expect(left(clock, 1, 5000)).toBe(25_000);
    expect(left(clock, 1, 99_000)).toBe(0);
  });

  it('are written as days, hours, minutes and seconds', () => {
    expect(clockText(9_400)).toBe('9.4');
    expect(clockText(245_000)).toBe('4:05');
    expect(clockText(3_723_000)).toBe('1:02:03');
    expect(clockText(183_600_000)).toBe('2 d 3 h');
  });
});

describe('goals of a lesson', () => {
  const progress = {
    actions: ['a1-a3', '+a2'],
    kinds: { 'a1-a3': 'move', '+a2': 'stone' },
    events: [{ kind: 'territory-scored', awards: [12, 0] }],
    isComplete: false,
    view: { game: 'nova', pioneers: { a3: 0 } } as unknown as NovaView,
    seat: 0,
  };

  it('count actions, events, complete turns and cells', async () => {
    await loadPage('nova');
    expect(reached({ kind: 'actions', count: 1, action: 'stone' }, progress)).toBe(true);
    expect(reached({ kind: 'actions', count: 2, action: 'move' }, progress)).toBe(false);
    expect(reached({ kind: 'event', event: 'territory-scored', where: { 'awards.0': 10 } }, progress)).toBe(true);
    expect(reached({ kind: 'event', event: 'territory-scored', where: { 'awards.1': 1 } }, progress)).toBe(false);
    expect(reached({ kind: 'turn' }, progress)).toBe(false);
    expect(reached({ kind: 'cells', cells: ['a3'] }, progress)).toBe(true);
  });
});
