/** The games of the page: each has a folder and is named nowhere else. Games without a folder get a generic board. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { GAMES, loadGames, loadPage } from '../src/games/index.svelte';
import { GenericLayout } from '../src/games/generic/geometry';
import { Builder } from '../src/lib/game/builder.svelte';
import GameBoard from '../src/lib/game/GameBoard.svelte';
import { direct } from '../src/lib/game/targets';
import TurnBar from '../src/lib/game/TurnBar.svelte';
import { seatName, turnTexts } from '../src/lib/game/words';
import { speak } from '../src/lib/i18n/index.svelte';
import type { Action, SeatView, TryResult } from '../src/lib/net/types';

const SOURCE = join(import.meta.dirname, '../src');

// The server has a game that has no folder in the page.
vi.stubGlobal('fetch', () =>
  Promise.resolve(
    Response.json({
      games: { three: { title: 'Three in a row', players: [2], options: [] } },
      levels: [],
      limits: {},
      version: '',
    }),
  ),
);

beforeAll(async () => {
  await speak('board', 'common', 'table');
  await loadGames();
});

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory()
      ? files(path)
      : /\.(ts|svelte|css)$/.test(entry.name) && !entry.name.endsWith('.d.ts')
        ? [path]
        : [];
  });
}

it('are named nowhere outside their folders', () => {
  const named = new RegExp(
    GAMES.flatMap((game) => [`\\b${game.name}(?![a-z])`, `\\b${game.rulePrefix}-\\d`]).join('|'),
    'i',
  );
  const own = GAMES.map((game) => join(SOURCE, 'games', game.name));
  const found = files(SOURCE)
    .filter((path) => !own.some((folder) => path.startsWith(folder)))
    .flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .flatMap((line, i) =>
          named.test(line) && !/^\s*(\/\*\*|\*|\/\/|<!--)/.test(line) ? [`${path}:${i + 1}: ${line.trim()}`] : [],
        ),
    );
  expect(found).toEqual([]);
});

/** A game of three cells in a row, without a folder in the page. */
const view = {
  game: 'three',
  phase: 'play',
  to_move: 1,
  at_turn_start: true,
  hand: [],
  resigned: [],
  outcome: null,
  scores: [2, 5],
  cells: [
    { name: 'a1', x: 0, y: 0, text: '', seat: null },
    { name: 'a2', x: 1, y: 0, text: 'X', seat: 0 },
    { name: 'b1', x: 0, y: 1, text: '', seat: null },
  ],
};
const LEGAL: Action[] = [
  { text: 'a1', kind: 'mark', source: null, target: 'a1' },
  { text: 'b1', kind: 'mark', source: null, target: 'b1' },
  { text: 'pass', kind: 'pass', source: null, target: null },
];

describe('a game without a folder', () => {
  let shown: Record<string, unknown> | undefined;
  afterEach(async () => {
    if (shown) await unmount(shown);
    shown = undefined;
    document.body.innerHTML = '';
  });

  const answer: TryResult = { view, legal: [], effects: [[]], position: '', turn_complete: true };
  const settled = () => new Promise((done) => setTimeout(done, 300));

  it('has a board with labels for screen readers that works with mouse and keyboard', async () => {
    await loadPage('three');
    const oncell = vi.fn();
    shown = mount(GameBoard, {
      target: document.body,
      props: { view, board: null, colours: ['yellow', 'red'], targets: direct(LEGAL, 'mark'), oncell },
    });
    await vi.waitFor(() => expect(document.querySelectorAll('[role=gridcell]')).toHaveLength(3));
    expect(document.querySelector('[role=grid]')?.getAttribute('aria-label')).toBe('Three in a row');
    const cells = [...document.querySelectorAll<SVGElement>('[role=gridcell]')];
    expect(cells.map((cell) => cell.getAttribute('aria-label'))).toEqual([
      'a1, can be chosen',
      'a2, X, Yellow',
      'b1, can be chosen',
    ]);
    cells[2]?.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 0 }));
    expect(oncell).toHaveBeenLastCalledWith('b1', 'keyboard');
    cells[0]?.focus();
    cells[0]?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    expect(oncell).toHaveBeenLastCalledWith('a1', 'keyboard');
  });

  it('finds the cell under a pointer', () => {
    const layout = new GenericLayout(view.cells);
    for (const cell of layout.cells) expect(layout.find(layout.centre(cell))).toBe(cell);
    expect(layout.find({ x: layout.centre('a2').x, y: layout.centre('b1').y })).toBeNull();
    expect(layout.step('a1', 'right', 0)).toBe('a2');
    expect(layout.step('a2', 'down', layout.centre('a2').x)).toBe('b1');
  });

  it.each([
    ['that name no cell', view, ['pass']],
    ['of a position without cells', { ...view, cells: undefined }, ['a1', 'b1', 'pass']],
  ])('has buttons for actions %s', async (_, position, texts) => {
    await loadPage('three');
    const attempt = vi.fn(() => Promise.resolve(answer));
    const builder = new Builder(attempt);
    builder.begin({ view: position, legal: LEGAL });
    shown = mount(TurnBar, { target: document.body, props: { builder, view: position, onfinish: () => undefined } });
    flushSync();
    const buttons = [...document.querySelectorAll<HTMLButtonElement>('.unplaced button')];
    expect(buttons.map((button) => button.textContent)).toEqual(texts);
    buttons.at(-1)?.click();
    await settled();
    expect(attempt).toHaveBeenCalledWith(['pass']);
    expect(builder.isComplete).toBe(true);
  });

  it('has its turns described in notation', () => {
    const seats = [{ seat: 0, kind: 'device', name: null, level: null, colour: 'yellow' }] as SeatView[];
    expect(
      turnTexts('three', { seat: 0, actions: ['a1', 'pass'], events: [{ kind: 'marked', seat: 0 }] }, seats),
    ).toEqual(['Yellow plays a1 pass.']);
  });
});

it('computers of the same level are distinguished by their colours', () => {
  const computer = (seat: number, level: number, colour: string) =>
    ({ seat, kind: 'computer', name: null, level, colour }) as SeatView;
  const seats = [computer(0, 3, 'yellow'), computer(1, 3, 'red'), computer(2, 5, 'blue')];
  expect(seats.map((_, seat) => seatName(seats, seat))).toEqual([
    'Computer 3 (Yellow)',
    'Computer 3 (Red)',
    'Computer 5',
  ]);
});

it('count the rounds down when few are left', async () => {
  const { status } = await loadPage('turrium');
  const at = (phase: string, rounds_left: number, is_last_round = false) =>
    status?.({ phase, rounds_left, is_last_round } as never);
  expect(at('take', 100)).toBeNull();
  expect(at('take', 21)).toBeNull();
  expect(at('take', 20)).toBe('20 rounds until the game is drawn');
  expect(at('move', 1)).toBe('1 round until the game is drawn');
  expect(at('move', 60, true)).toBe('Last round');
  expect(at('over', 0)).toBeNull();
});
