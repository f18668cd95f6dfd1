import { t } from '../../lib/i18n/index.svelte';
import type { Cell, Seat } from '../../lib/net/types';
import { gameEditor, type EditorTool, type Setup } from '../types';
import EditorNumbers from './EditorNumbers.svelte';
import { icons } from './page';
import Painter from './Painter.svelte';
import type { NovaView } from './view';

export interface NovaSetup extends Setup {
  pioneers: Record<Cell, Seat>;
  stones: Cell[];
  dead: Cell[];
  scores: number[];
  supply: number;
}

const without = (cells: readonly Cell[], cell: Cell): Cell[] => cells.filter((other) => other !== cell);

/** The setup with an empty cell; a stone goes back to the supply. */
function emptied(setup: NovaSetup, cell: Cell): NovaSetup {
  const pioneers = { ...setup.pioneers };
  delete pioneers[cell];
  const supply = setup.supply + (setup.stones.includes(cell) ? 1 : 0);
  return { ...setup, pioneers, supply, stones: without(setup.stones, cell), dead: without(setup.dead, cell) };
}

function holds(setup: NovaSetup, cell: Cell, tool: EditorTool): boolean {
  if (tool.name === 'stone') return setup.stones.includes(cell);
  if (tool.name === 'dead') return setup.dead.includes(cell);
  return setup.pioneers[cell] === tool.seat;
}

/** Puts a piece on a cell and replaces what is there. Putting the same piece again removes it. */
function put(setup: NovaSetup, cell: Cell, tool: EditorTool): NovaSetup {
  const bare = emptied(setup, cell);
  if (tool.name === 'erase' || holds(setup, cell, tool)) return bare;
  if (tool.name === 'stone') return { ...bare, stones: [...bare.stones, cell], supply: Math.max(0, bare.supply - 1) };
  if (tool.name === 'dead') return { ...bare, dead: [...bare.dead, cell] };
  return { ...bare, pioneers: { ...bare.pioneers, [cell]: tool.seat ?? 0 } };
}

export const editor = gameEditor<NovaView, NovaSetup>({
  setup: (view) => ({
    pioneers: view.pioneers,
    stones: view.stones,
    dead: view.dead,
    scores: view.scores,
    supply: view.supply,
    to_move: view.to_move ?? 0,
    phase: view.phase === 'place' ? 'place' : 'play',
  }),
  cleared: (setup) => ({
    ...setup,
    pioneers: {},
    stones: [],
    dead: [],
    scores: setup.scores.map(() => 0),
    supply: setup.supply + setup.stones.length,
  }),
  phases: ['place', 'play'],
  tools: (names) => [
    ...names.map((name, seat) => ({
      name: `pioneer-${seat}`,
      label: t('editor.tool.pioneer', { name }),
      icon: icons.place,
      seat,
    })),
    { name: 'stone', label: t('editor.tool.stone'), icon: icons.stone },
    { name: 'dead', label: t('editor.tool.dead'), icon: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM6 7l12 10M18 7L6 17' },
    { name: 'erase', label: t('editor.tool.erase'), icon: 'M9 19h10M4 14l8-9 7 6-7 8H8z' },
  ],
  put,
  shown: (view, setup) => ({
    ...view,
    pioneers: setup.pioneers,
    stones: setup.stones,
    dead: setup.dead,
    scores: setup.scores,
    supply: setup.supply,
    to_move: setup.to_move,
    moved: [],
    outcome: null,
  }),
  Numbers: EditorNumbers,
  Painter,
  ruled: (setup, before, after) => {
    const more = Number(after['stones']) - Number(before['stones']);
    return { ...setup, supply: Math.max(0, setup.supply + more) };
  },
  fitted: (setup, board) => {
    const cells = new Set(board.cells.map((cell) => cell.name));
    const gone = [...Object.keys(setup.pioneers), ...setup.stones, ...setup.dead].filter((cell) => !cells.has(cell));
    return gone.reduce(emptied, setup);
  },
});
