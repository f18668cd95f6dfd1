import { t } from '../../lib/i18n/index.svelte';
import type { Cell, Seat } from '../../lib/net/types';
import { gameEditor, type EditorTool, type Setup } from '../types';
import EditorNumbers from './EditorNumbers.svelte';
import { page } from './page';
import type { TurriumView } from './view';

export interface TurriumSetup extends Setup {
  heights: Record<Cell, number>;
  flags: Record<Cell, Seat>;
  attacks: number[];
  captures: number[];
  rounds: number;
  unlocked: boolean;
}

/** The setup with this many cubes on a cell; a flag can't be where no cube is. */
function built(setup: TurriumSetup, cell: Cell, height: number): TurriumSetup {
  const heights = { ...setup.heights, [cell]: height };
  const flags = { ...setup.flags };
  if (height <= 0) {
    delete heights[cell];
    delete flags[cell];
  }
  return { ...setup, heights, flags };
}

function put(setup: TurriumSetup, cell: Cell, tool: EditorTool): TurriumSetup {
  const height = setup.heights[cell] ?? 0;
  if (tool.name === 'cube') return built(setup, cell, height + 1);
  if (tool.name === 'less') return built(setup, cell, height - 1);
  if (tool.name === 'erase') return built(setup, cell, 0);
  const seat = tool.seat ?? 0;
  const under = built(setup, cell, Math.max(1, height));
  const flags = { ...under.flags };
  if (flags[cell] === seat) delete flags[cell];
  else flags[cell] = seat;
  return { ...under, flags };
}

export const editor = gameEditor<TurriumView, TurriumSetup>({
  setup: (view) => ({
    heights: view.heights,
    flags: view.flags,
    attacks: view.attacks,
    captures: view.captures,
    rounds: view.rounds,
    unlocked: view.unlocked,
    to_move: view.to_move ?? 0,
    phase: view.phase === 'flags' ? 'flags' : 'play',
  }),
  cleared: (setup) => ({
    ...setup,
    heights: {},
    flags: {},
    attacks: setup.attacks.map(() => 0),
    captures: setup.captures.map(() => 0),
    rounds: 0,
  }),
  phases: ['flags', 'play'],
  tools: (names) => [
    { name: 'cube', label: t('editor.tool.cube'), icon: page.icons?.['stone'] ?? '' },
    { name: 'less', label: t('editor.tool.less'), icon: page.icons?.['take'] ?? '' },
    ...names.map((name, seat) => ({
      name: `flag-${seat}`,
      label: t('editor.tool.flag', { name }),
      icon: page.icons?.['place'] ?? '',
      seat,
    })),
    { name: 'erase', label: t('editor.tool.erase'), icon: 'M9 19h10M4 14l8-9 7 6-7 8H8z' },
  ],
  put,
  shown: (view, setup) => ({
    ...view,
    heights: setup.heights,
    flags: setup.flags,
    attacks: setup.attacks,
    captures: setup.captures,
    rounds: setup.rounds,
    unlocked: setup.unlocked,
    to_move: setup.to_move,
    outcome: null,
  }),
  Numbers: EditorNumbers,
});
