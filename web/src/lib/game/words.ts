/** Positions and events in words: for screen readers, the teller's line and the move list. */

import { has, t } from '../i18n/index.svelte';
import type { Refused } from '../net/client';
import type { BoardView, Cell, GameEvent, NovaView, SeatView, TurriumView, View } from '../net/types';
import type { Choice } from './targets';

/** What a player is called: the name given, else the computer's level, else the colour. */
export function seatName(seats: readonly Pick<SeatView, 'seat' | 'kind' | 'name' | 'level' | 'colour'>[], seat: number): string {
  const found = seats[seat];
  if (!found) return t('common.seat', { number: seat + 1 });
  if (found.name) return found.name;
  if (found.kind === 'computer') return t('common.computer', { level: found.level ?? 0 });
  return t(`common.colour.${found.colour}`);
}

export function landscapeName(key: string): string {
  return has(`common.landscape.${key}`) ? t(`common.landscape.${key}`) : key;
}

/** What the cells of a board are before anything stands on them: "e7, forest". Made once. */
export function landWords(board: BoardView | null): Map<Cell, string> {
  const landscapes = board?.landscapes.map(landscapeName) ?? [];
  return new Map(board?.cells.map(({ name, landscape }) => [name, `${name}, ${landscapes[landscape] ?? ''}`]));
}

/** What the cells of a position are, where that is more than their land: "e7, forest, red pioneer". */
export function cellWords(view: View, land: ReadonlyMap<Cell, string>, colours: readonly string[]): Map<Cell, string> {
  return view.game === 'nova' ? islandWords(view, land, colours) : towerWords(view, colours);
}

function islandWords(view: NovaView, land: ReadonlyMap<Cell, string>, colours: readonly string[]): Map<Cell, string> {
  const [stone, divided, hasMoved] = [t('board.cell.stone'), t('board.cell.dead'), t('board.cell.moved')];
  const pioneer = colours.map((colour) => t('board.cell.pioneer', { colour }));
  const words = new Map<Cell, string>();
  const add = (cell: Cell, more: string) => words.set(cell, `${words.get(cell) ?? land.get(cell) ?? cell}, ${more}`);
  for (const cell of view.stones) words.set(cell, `${cell}, ${stone}`);
  for (const cell of view.dead) if (!words.has(cell)) add(cell, divided);
  for (const [cell, seat] of Object.entries(view.pioneers)) add(cell, pioneer[seat] ?? '');
  for (const cell of view.moved) add(cell, hasMoved);
  return words;
}

function towerWords(view: TurriumView, colours: readonly string[]): Map<Cell, string> {
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

/** "e7, forest, red pioneer, can move": what a cell is, and what can be done with it now. */
export function cellLabel(cell: Cell, words: string, sources: ReadonlySet<Cell>, targets: ReadonlyMap<Cell, Choice>): string {
  let label = words;
  if (sources.has(cell)) label += `, ${t('board.cell.canMove')}`;
  const target = targets.get(cell);
  if (target) label += `, ${target.cost === undefined ? t(`board.can.${target.kind}`) : t('board.cell.cost', { what: t(`board.can.${target.kind}`), points: target.cost })}`;
  return label;
}

/** What an event says, or null for one that needs no words. */
export function eventText(event: GameEvent, seats: readonly SeatView[]): string | null {
  const who = typeof event['seat'] === 'number' ? seatName(seats, event['seat']) : '';
  const text = (key: string) => (typeof event[key] === 'string' || typeof event[key] === 'number' ? (event[key] as string | number) : '');
  switch (event.kind) {
    case 'territory-scored': {
      const awards = event['awards'] as number[];
      const cells = (event['cells'] as string[]).length;
      const winners = awards.flatMap((points, seat) => (points > 0 ? [{ name: seatName(seats, seat), points }] : []));
      if (!winners.length) return t('board.event.territory-nobody', { cells });
      if (winners.length === 1) return t('board.event.territory-scored', { name: winners[0]?.name ?? '', points: winners[0]?.points ?? 0, cells });
      return t('board.event.territory-shared', { names: winners.map((one) => one.name).join(', '), points: winners[0]?.points ?? 0, cells });
    }
    case 'game-ended':
      return outcomeText(event['outcome'] as { winners: number[]; reason: string }, seats);
    case 'last-round':
      return t('board.event.last-round');
    case 'turn-ended':
      return null;
    case 'flag-captured':
      return t('board.event.flag-captured', { name: who, other: seatName(seats, event['captured'] as number), cell: text('target'), cost: text('cost') });
    case 'phase-skipped':
      return t('board.event.phase-skipped', { name: who, phase: t(`board.phase.${String(event['phase'])}`) });
    default:
      if (!has(`board.event.${event.kind}`)) return null;
      return t(`board.event.${event.kind}`, {
        name: who,
        cell: text('cell'),
        source: text('source'),
        target: text('target'),
        cost: text('cost'),
        count: text('actions'),
      });
  }
}

export function outcomeText(outcome: { winners: number[]; reason: string }, seats: readonly SeatView[]): string {
  const names = outcome.winners.map((seat) => seatName(seats, seat));
  const reason = t(`board.reason.${outcome.reason}`);
  if (outcome.reason === 'aborted') return reason;
  if (!names.length) return t('board.event.drawn', { reason });
  return names.length === 1
    ? t('board.event.won', { name: names[0] ?? '', reason })
    : t('board.event.shared', { names: names.join(', '), reason });
}

/** Why something was refused, in the reader's language where the code is known, with its rule. */
export function refusalText(refused: Pick<Refused, 'code' | 'message'>): string {
  const key = `common.error.${refused.code}`;
  return has(key) ? t(key) : refused.message;
}
