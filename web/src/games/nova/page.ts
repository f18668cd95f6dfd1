import { landscapeName } from './landscapeName';
import { t } from '../../lib/i18n/index.svelte';
import type { BoardView, Cell, GameEvent, Seat } from '../../lib/net/types';
import { changeLook, settings } from '../../lib/settings.svelte';
import { gamePage } from '../types';
import Board from './Board.svelte';
import { OVERLAYS, overlayOf } from './board/overlay';
import { named } from './letters';
import SeatFacts from './SeatFacts.svelte';
import Tools from './Tools.svelte';
import { territory, type NovaView } from './view';

/** "e7, forest". */
function land(board: BoardView | null): Map<Cell, string> {
  const landscapes = board?.landscapes.map(landscapeName) ?? [];
  return new Map(board?.cells.map(({ name, landscape }) => [name, `${name}, ${landscapes[landscape] ?? ''}`]));
}

/** "e7, forest, red pioneer". */
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

function eventText(event: GameEvent, nameOf: (seat: Seat) => string): string | null | undefined {
  const territory = awarded(event);
  if (!territory) return undefined;
  const count = territory.cells.length;
  const paid = territory.awards.flatMap((points, seat) => (points > 0 ? [{ name: nameOf(seat), points }] : []));
  const [first] = paid;
  if (!first) return t('board.event.territory-nobody', { cells: count });
  if (paid.length === 1) return t('board.event.territory-scored', { ...first, cells: count });
  return t('board.event.territory-shared', { names: paid.map((one) => one.name).join(', '), points: first.points, cells: count });
}

export const page = gamePage<NovaView>({
  Board,
  SeatFacts,
  Tools,
  keys: {
    o: () => changeLook('nova', 'overlay', OVERLAYS[(OVERLAYS.indexOf(overlayOf(settings.looks['nova'])) + 1) % OVERLAYS.length] ?? 'none'),
  },
  canProposeEnd: true,
  status: (view) => t('table.stones', { count: view.supply }),
  left: (view) =>
    view.phase === 'place' ? t('table.left.place', { count: view.hand[view.to_move ?? 0] ?? 0 }) : t('table.left.actions', { count: view.actions_left }),
  standing: (view, seat) => String(view.scores[seat] ?? 0),
  land,
  cells,
  eventText,
  awarded,
  sounds: { placed: 'move', moved: 'move', 'stone-placed': 'stone', 'territory-scored': 'score' },
  shown: (view, { kind, source, target }) => {
    const seat = view.to_move;
    if (!target || seat === null) return view;
    if (kind === 'stone') return { ...view, stones: [...view.stones, target], supply: view.supply - 1, actions_left: view.actions_left - 1 };
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
