import { joined, t } from '../../lib/i18n/index.svelte';
import { sentence, type Reader } from '../../lib/game/person';
import type { Cell, GameEvent, Seat } from '../../lib/net/types';
import { gamePage } from '../types';
import TurriumBoard from './board/TurriumBoard.svelte';
import { toggleView } from './look';
import Ending from './Ending.svelte';
import Ledger from './Ledger.svelte';
import { reachChange } from './view';
import SeatFacts from './SeatFacts.svelte';
import Tools from './Tools.svelte';
import type { TurriumView } from './view';

/** The status line shows the rounds until the limit, if at most this many are left. */
const COUNTED = 20;

/** The description of each cell, such as "e7, height 3, blue land, red flag". */
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

function eventText(event: GameEvent, reader: Reader): string | undefined {
  const seat = typeof event['seat'] === 'number' ? event['seat'] : null;
  if (event.kind === 'flag-captured')
    return sentence('flag-captured', seat, reader, {
      other: reader.nameOf(event['captured'] as number),
      cell: String(event['target']),
      cost: Number(event['cost']),
    });
  if (event.kind === 'phase-skipped')
    return sentence('phase-skipped', seat, reader, { phase: t(`board.phase.${String(event['phase'])}`) });
  return undefined;
}

function lossText(event: GameEvent, seat: Seat, nameOf: (seat: Seat) => string): string | null {
  if (event.kind !== 'flag-captured' || event['captured'] !== seat) return null;
  return t('story.loss.flag-captured', { name: nameOf(event['seat'] as number), cell: String(event['target']) });
}

const FLAG = 'M7 21V3l11 4-11 4';
const CUBE = 'M9 8.5l6 3v6.5l-6 3-6-3v-6.5zM3 11.5l6 3 6-3M9 14.5v6.5';

/** How a cube would change reach, such as "now within reach: d5, d6; heights now within reach: 3". */
function previewText(effects: readonly GameEvent[]): string | null {
  const change = reachChange(effects);
  if (!change) return null;
  const words = [];
  if (change.gained.length) words.push(t('board.preview.gained', { cells: change.gained.join(', ') }));
  if (change.gainedHeights.length)
    words.push(t('board.preview.gainedHeights', { heights: change.gainedHeights.join(', ') }));
  if (change.lost.length) words.push(t('board.preview.lost', { cells: change.lost.join(', ') }));
  if (change.lostHeights.length) words.push(t('board.preview.lostHeights', { heights: change.lostHeights.join(', ') }));
  return joined(words);
}

export const page = gamePage<TurriumView>({
  Board: TurriumBoard,
  SeatFacts,
  Ending,
  Ledger,
  ledgerTitle: 'board.ledger.towers',
  Tools,
  keys: { v: toggleView },
  canProposeEnd: false,
  hasModes: true,
  status: (view) => {
    if (view.is_last_round) return t('table.lastRound');
    return view.phase !== 'over' && view.rounds_left <= COUNTED
      ? t('table.roundsLeft', { count: view.rounds_left })
      : null;
  },
  left: (view) => {
    if (view.phase === 'flags') return t('table.left.flags', { count: view.hand[view.to_move ?? 0] ?? 0 });
    if (view.phase === 'move') return t('table.left.points', { count: view.points_left });
    return t('table.left.cubes', { count: view.cubes_in_hand });
  },
  price: (view, cost) => (view.phase === 'move' ? t('table.costs', { cost, left: view.points_left - cost }) : null),
  standing: (view, seat) => `${6 - (view.ladders[seat]?.missing.length ?? 6)}/6`,
  cells,
  eventText,
  lossText,
  icons: {
    place: FLAG,
    move: FLAG,
    capture: 'M5 5l14 14M19 5L5 19',
    take: `${CUBE}M15 5.5h6`,
    stone: `${CUBE}M15 5.5h6M18 2.5v6`,
  },
  previewText,
  sounds: {
    'flag-set': 'move',
    'cube-taken': 'take',
    'cube-placed': 'stone',
    'flag-moved': 'move',
    'flag-entered': 'move',
    'flag-captured': 'capture',
  },
  // An action read from notation has Terra Nova's kinds: here `place` is a flag and `stone` a cube.
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
  isReached: (goal, view, seat) =>
    goal.kind === 'ladder' && goal.held.every((height) => view.ladders[seat]?.held.includes(height)),
});
