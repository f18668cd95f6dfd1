/** Positions and events in words: for screen readers, the teller's line and the move list. */

import { has, t } from '../i18n/index.svelte';
import type { Refused } from '../net/client';
import type { BoardView, Cell, GameEvent, SeatView, View } from '../net/types';
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

export interface CellFacts {
  view: View;
  board: BoardView | null;
  colours: readonly string[];
  sources: ReadonlySet<Cell>;
  targets: ReadonlyMap<Cell, Choice>;
  landscapeOf: ReadonlyMap<Cell, string>;
}

/** "e7, forest, red pioneer, can move" */
export function cellLabel(cell: Cell, facts: CellFacts): string {
  const { view, colours } = facts;
  const words: string[] = [cell];
  const colour = (seat: number) => t(`common.colour.${colours[seat] ?? 'yellow'}`);
  if (view.game === 'nova') {
    const landscape = facts.landscapeOf.get(cell);
    if (view.stones.includes(cell)) words.push(t('board.cell.stone'));
    else {
      if (landscape) words.push(landscapeName(landscape));
      if (view.dead.includes(cell)) words.push(t('board.cell.dead'));
    }
    const seat = view.pioneers[cell];
    if (seat !== undefined) words.push(t('board.cell.pioneer', { colour: colour(seat) }));
    if (view.moved.includes(cell)) words.push(t('board.cell.moved'));
  } else {
    const height = view.heights[cell] ?? 0;
    words.push(height ? t('board.cell.height', { height }) : t('board.cell.empty'));
    const owner = view.territories[cell];
    words.push(owner === null || owner === undefined ? t('board.cell.vacant') : t('board.cell.land', { colour: colour(owner) }));
    const seat = view.flags[cell];
    if (seat !== undefined) words.push(t('board.cell.flag', { colour: colour(seat) }));
  }
  if (facts.sources.has(cell)) words.push(t('board.cell.canMove'));
  const target = facts.targets.get(cell);
  if (target) words.push(target.cost === undefined ? t(`board.can.${target.kind}`) : t('board.cell.cost', { what: t(`board.can.${target.kind}`), points: target.cost }));
  return words.join(', ');
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
  if (!names.length || names.length === seats.length) return t('board.event.drawn', { reason });
  return names.length === 1
    ? t('board.event.won', { name: names[0] ?? '', reason })
    : t('board.event.shared', { names: names.join(', '), reason });
}

/** Why something was refused, in the reader's language where the code is known, with its rule. */
export function refusalText(refused: Pick<Refused, 'code' | 'message'>): string {
  const key = `common.error.${refused.code}`;
  return has(key) ? t(key) : refused.message;
}
