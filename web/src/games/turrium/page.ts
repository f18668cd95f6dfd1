import { t } from '../../lib/i18n/index.svelte';
import type { Cell, GameEvent, Seat } from '../../lib/net/types';
import { gamePage } from '../types';
import TurriumBoard from './board/TurriumBoard.svelte';
import { toggleView } from './look';
import SeatFacts from './SeatFacts.svelte';
import Tools from './Tools.svelte';
import type { TurriumView } from './view';

/** "e7, height 3, blue land, red flag". */
function cells(view: TurriumView, _land: unknown, colours: readonly string[]): Map<Cell, string> {
  const land = colours.map((colour) => t('board.cell.land', { colour }));
  const flag = colours.map((colour) => t('board.cell.flag', { colour }));
  const vacant = t('board.cell.vacant');
  const tall = [t('board.cell.empty')];
  return new Map(
    view.cells.map((cell) => {
      const height = view.heights[cell] ?? 0;
      const words = [cell, (tall[height] ??= t('board.cell.height', { height }))];
      const owner = view.territories[cell];
      words.push(owner === null || owner === undefined ? vacant : (land[owner] ?? ''));
      const seat = view.flags[cell];
      if (seat !== undefined) words.push(flag[seat] ?? '');
      return [cell, words.join(', ')];
    }),
  );
}

function eventText(event: GameEvent, nameOf: (seat: Seat) => string): string | undefined {
  const name = typeof event['seat'] === 'number' ? nameOf(event['seat']) : '';
  if (event.kind === 'flag-captured')
    return t('board.event.flag-captured', { name, other: nameOf(event['captured'] as number), cell: String(event['target']), cost: Number(event['cost']) });
  if (event.kind === 'phase-skipped') return t('board.event.phase-skipped', { name, phase: t(`board.phase.${String(event['phase'])}`) });
  return undefined;
}

export const page = gamePage<TurriumView>({
  Board: TurriumBoard,
  SeatFacts,
  Tools,
  keys: { v: toggleView },
  canProposeEnd: false,
  status: (view) => (view.is_last_round ? t('table.lastRound') : null),
  left: (view) => {
    if (view.phase === 'flags') return t('table.left.flags', { count: view.hand[view.to_move ?? 0] ?? 0 });
    if (view.phase === 'move') return t('table.left.points', { count: view.points_left });
    return t('table.left.cubes', { count: view.cubes_in_hand });
  },
  price: (view, cost) => (view.phase === 'move' ? t('table.costs', { cost, left: view.points_left - cost }) : null),
  standing: (view, seat) => `${6 - (view.ladders[seat]?.missing.length ?? 6)}/6`,
  cells,
  eventText,
  sounds: { 'flag-set': 'move', 'cube-taken': 'take', 'cube-placed': 'stone', 'flag-moved': 'move', 'flag-entered': 'move', 'flag-captured': 'capture' },
  // A turn read from its notation does not say which of the two games it is: `place` is a flag, `stone` a cube.
  shown: (view, { kind, source, target }) => {
    const seat = view.to_move;
    if (!target || seat === null) return view;
    if (kind === 'take' || kind === 'cube' || kind === 'stone') {
      const by = kind === 'take' ? -1 : 1;
      const heights = { ...view.heights, [target]: (view.heights[target] ?? 0) + by };
      if (!heights[target]) delete heights[target];
      return { ...view, heights, cubes_in_hand: view.cubes_in_hand - by };
    }
    const flags = { ...view.flags, [target]: seat };
    if (source) delete flags[source];
    const hand = source ? view.hand : view.hand.map((count, of) => (of === seat ? count - 1 : count));
    return { ...view, flags, hand };
  },
  marks: { flag: '@', cube: '+', take: '-' },
  pieces: (view) => view.flags,
  isReached: (goal, view, seat) => goal.kind === 'ladder' && goal.held.every((height) => view.ladders[seat]?.held.includes(height)),
});
