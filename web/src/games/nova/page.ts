import { landscapeName } from './landscapeName';
import { has, joined, t } from '../../lib/i18n/index.svelte';
import { sentence, type Reader } from '../../lib/game/person';
import type { BoardView, Cell, GameEvent, Seat } from '../../lib/net/types';
import { changeLook, settings } from '../../lib/settings.svelte';
import { gamePage } from '../types';
import Board from './Board.svelte';
import { OVERLAYS, overlayOf } from './board/overlay';
import { named } from './letters';
import Ending from './Ending.svelte';
import Ledger from './Ledger.svelte';
import SeatFacts from './SeatFacts.svelte';
import Tools from './Tools.svelte';
import { shares, territories, territory, value, type NovaView } from './view';

/** The status line shows the turns until a stalled game ends, if at most this many are left. */
const COUNTED = 12;

/** The description of each empty cell, such as "e7, forest". */
function land(board: BoardView | null): Map<Cell, string> {
  const landscapes = board?.landscapes.map(landscapeName) ?? [];
  return new Map(board?.cells.map(({ name, landscape }) => [name, `${name}, ${landscapes[landscape] ?? ''}`]));
}

/** The descriptions of cells that are not empty, such as "e7, forest, red pioneer". */
function cells(view: NovaView, bare: ReadonlyMap<Cell, string>, colours: readonly string[]): Map<Cell, string> {
  const [stone, divided, hasMoved] = [t('board.cell.stone'), t('board.cell.dead'), t('board.cell.moved')];
  const pioneer = colours.map((colour) => t('board.cell.pioneer', { colour }));
  const words = new Map<Cell, string>();
  const add = (cell: Cell, more: string) => words.set(cell, `${words.get(cell) ?? bare.get(cell) ?? cell}, ${more}`);
  for (const cell of view.stones) words.set(cell, `${cell}, ${stone}`);
  for (const cell of view.dead) if (!words.has(cell)) add(cell, divided);
  for (const [cell, seat] of Object.entries(view.pioneers)) add(cell, pioneer[seat] ?? '');
  for (const cell of view.moved) add(cell, hasMoved);
  return words;
}

function awarded(event: GameEvent): { cells: Cell[]; awards: number[] } | null {
  return event.kind === 'territory-scored' ? territory(event) : null;
}

/** The text about a territory that others got although the seat had pioneers in it; null for anything else. */
function lossText(event: GameEvent, seat: Seat, nameOf: (seat: Seat) => string): string | null {
  const found = awarded(event);
  const pioneers = found && territory(event).pioneers[seat];
  if (!found || !pioneers || found.awards[seat]) return null;
  const names = found.awards.flatMap((points, other) => (points > 0 ? [nameOf(other)] : []));
  if (!names.length) return null;
  return t('story.loss.territory-scored', { names, cells: found.cells.length, pioneers });
}

function eventText(event: GameEvent, reader: Reader): string | null | undefined {
  const territory = awarded(event);
  if (!territory) return undefined;
  const count = territory.cells.length;
  const paid = territory.awards.flatMap((points, seat) => (points > 0 ? [{ seat, points }] : []));
  const [first] = paid;
  if (!first) return t('board.event.territory-nobody', { cells: count });
  if (paid.length === 1)
    return sentence('territory-scored', first.seat, reader, { points: first.points, cells: count });
  const isOwn = paid.some((one) => one.seat === reader.you) && has('story.you.territory-shared');
  return t(isOwn ? 'story.you.territory-shared' : 'board.event.territory-shared', {
    names: paid.flatMap((one) => (isOwn && one.seat === reader.you ? [] : [reader.nameOf(one.seat)])),
    points: first.points,
    cells: count,
  });
}

const PIONEER = 'M12 3.5a3.3 3.3 0 1 0 0 6.6 3.3 3.3 0 0 0 0-6.6M10 10c0 4-1.5 6-4 8.5v2h12v-2c-2.5-2.5-4-4.5-4-8.5';

/** What a stone would close, such as "closes 6 spaces × 2 = 12: you 12". */
function previewText(effects: readonly GameEvent[], nameOf: (seat: Seat) => string): string | null {
  const words = territories(effects).map((land) => {
    const paid = shares(land);
    const sum = t('board.sum', { cells: land.cells.length, value: value(land), points: land.points });
    const who = paid.map(({ seat, points }) => `${nameOf(seat)} ${points}`);
    const key = paid.length > 1 ? 'shared' : paid.length ? 'closes' : 'nobody';
    return t(`board.preview.${key}`, { sum, shares: who });
  });
  if (effects.some((event) => event.kind === 'game-ended')) words.push(t('board.preview.ends'));
  return words.length ? joined(words) : null;
}

export const icons = {
  place: PIONEER,
  move: PIONEER,
  stone: 'M7 9l10 0 3 9H4zM7 9l2-3h8l0 3M17 6l3 9v3',
};

export const page = gamePage<NovaView>({
  Board,
  SeatFacts,
  Ending,
  Ledger,
  ledgerTitle: 'board.ledger',
  Tools,
  keys: {
    o: () =>
      changeLook(
        'nova',
        'overlay',
        OVERLAYS[(OVERLAYS.indexOf(overlayOf(settings.looks['nova'])) + 1) % OVERLAYS.length] ?? 'none',
      ),
  },
  canProposeEnd: true,
  status: (view) => {
    const stones = t('table.stones', { count: view.supply });
    if (view.phase === 'over' || view.stall_left === null || view.stall_left > COUNTED) return stones;
    return `${stones} · ${t('table.stallLeft', { count: view.stall_left })}`;
  },
  left: (view) =>
    view.phase === 'place'
      ? t('table.left.place', { count: view.hand[view.to_move ?? 0] ?? 0 })
      : t('table.left.actions', { count: view.actions_left }),
  standing: (view, seat) => String(view.scores[seat] ?? 0),
  land,
  cells,
  eventText,
  lossText,
  previewText,
  reasonLand: (reason) =>
    [...(reason.landscapes ?? []), ...(reason.landscape ? [reason.landscape] : [])].map(landscapeName).join(', '),
  awarded,
  icons,
  sounds: { placed: 'move', moved: 'move', 'stone-placed': 'stone', 'territory-scored': 'score' },
  shown: (view, { kind, source, target }) => {
    const seat = view.to_move;
    if (!target || seat === null) return view;
    if (kind === 'stone')
      return {
        ...view,
        stones: [...view.stones, target],
        supply: view.supply - 1,
        actions_left: view.actions_left - 1,
      };
    const pioneers = { ...view.pioneers, [target]: seat };
    if (source) delete pioneers[source];
    const moved = source ? [...view.moved.filter((cell) => cell !== source), target] : view.moved;
    const hand = kind === 'place' ? view.hand.map((count, of) => (of === seat ? count - 1 : count)) : view.hand;
    return { ...view, pioneers, moved, hand, actions_left: Math.max(0, view.actions_left - 1) };
  },
  marks: { place: '@', stone: '+' },
  pieces: (view) => view.pioneers,
  taught: named,
});
