/** Positions and events in words: for screen readers, the teller's line and the move list. */

import { pageOf } from '../../games/index.svelte';
import { has, t } from '../i18n/index.svelte';
import type { Refused } from '../net/client';
import type { Cell, GameEvent, GameName, Outcome, SeatView, Turn } from '../net/types';
import type { Choice } from './targets';

/** A colour in the reader's language. */
const colourName = (colour: string): string => (has(`common.colour.${colour}`) ? t(`common.colour.${colour}`) : colour);

/** What a player is called: the name given, else the computer's level (with its colour, if two are alike), else the colour. */
export function seatName(seats: readonly Pick<SeatView, 'seat' | 'kind' | 'name' | 'level' | 'colour'>[], seat: number): string {
  const found = seats[seat];
  if (!found) return t('common.seat', { number: seat + 1 });
  if (found.name) return found.name;
  const colour = colourName(found.colour);
  if (found.kind !== 'computer') return colour;
  const level = found.level ?? 0;
  const isAlone = !seats.some((other) => other !== found && other.kind === 'computer' && !other.name && other.level === found.level);
  return isAlone ? t('common.computer', { level }) : t('common.computerColour', { level, colour });
}

/** "e7, forest, red pioneer, can move": what a cell is, and what can be done with it now. */
export function cellLabel(cell: Cell, words: string, sources: ReadonlySet<Cell>, targets: ReadonlyMap<Cell, Choice>): string {
  let label = words;
  if (sources.has(cell)) label += `, ${t('board.cell.canMove')}`;
  const target = targets.get(cell);
  if (!target) return label;
  const what = has(`board.can.${target.kind}`) ? t(`board.can.${target.kind}`) : t('board.can.choose');
  label += `, ${target.cost === undefined ? what : t('board.cell.cost', { what, points: target.cost })}`;
  return label;
}

/** What an event says, or null for one that needs no words. */
export function eventText(game: GameName, event: GameEvent, seats: readonly SeatView[]): string | null {
  const own = pageOf(game)?.eventText?.(event, (seat) => seatName(seats, seat));
  if (own !== undefined) return own;
  if (event.kind === 'game-ended') return outcomeText(event['outcome'] as Outcome, seats);
  if (!has(`board.event.${event.kind}`)) return null;
  const fact = (key: string) => (typeof event[key] === 'string' || typeof event[key] === 'number' ? event[key] : '');
  return t(`board.event.${event.kind}`, {
    name: typeof event['seat'] === 'number' ? seatName(seats, event['seat']) : '',
    cell: fact('cell'),
    source: fact('source'),
    target: fact('target'),
    cost: fact('cost'),
    count: fact('actions'),
  });
}

/** What several events say, one after the other. */
export const eventTexts = (game: GameName, events: readonly GameEvent[], seats: readonly SeatView[]): string[] =>
  events.flatMap((event) => eventText(game, event, seats) ?? []);

/** A whole turn in words; in notation, where its events say nothing. */
export function turnTexts(game: GameName, turn: Pick<Turn, 'seat' | 'actions' | 'events'>, seats: readonly SeatView[]): string[] {
  const words = eventTexts(game, turn.events, seats);
  return words.length || !turn.actions.length ? words : [t('board.event.played', { name: seatName(seats, turn.seat), actions: turn.actions.join(' ') })];
}

export function outcomeText(outcome: Pick<Outcome, 'winners' | 'reason'>, seats: readonly SeatView[]): string {
  const names = outcome.winners.map((seat) => seatName(seats, seat));
  const reason = t(`board.reason.${outcome.reason}`);
  if (outcome.reason === 'aborted') return reason;
  if (!names.length) return t('board.event.drawn', { reason });
  return names.length === 1
    ? t('board.event.won', { name: names[0] ?? '', reason })
    : t('board.event.shared', { names: names.join(', '), reason });
}

/** Why something was refused, in the reader's language where the code is known, with its rule. */
export function refusalText(refused: Pick<Refused, 'code' | 'message'> & Partial<Pick<Refused, 'facts'>>): string {
  const key = `common.error.${refused.code}`;
  const values = refused.facts?.['facts'];
  if (values && has(`${key}.facts`)) return t(`${key}.facts`, values as Record<string, string | number>);
  return has(key) ? t(key) : refused.message;
}
