/** Positions and events in words: for screen readers, the narration and the move list. */

import { pageOf } from '../../games/index.svelte';
import { has, t } from '../i18n/index.svelte';
import type { Refused } from '../net/client';
import type { Cell, GameEvent, GameName, Outcome, Seat, SeatView, Turn } from '../net/types';
import { sentence, type Reader } from './person';
import type { Choice } from './targets';

/** A colour in the reader's language. */
const colourName = (colour: string): string => (has(`common.colour.${colour}`) ? t(`common.colour.${colour}`) : colour);

/** A player's name, else the computer's level (and colour, if two have the same level), else the colour. */
export function seatName(
  seats: readonly Pick<SeatView, 'seat' | 'kind' | 'name' | 'level' | 'colour'>[],
  seat: number,
): string {
  const found = seats[seat];
  if (!found) return t('common.seat', { number: seat + 1 });
  if (found.name) return found.name;
  const colour = colourName(found.colour);
  if (found.kind !== 'computer') return colour;
  const level = found.level ?? 0;
  const isAlone = !seats.some(
    (other) => other !== found && other.kind === 'computer' && !other.name && other.level === found.level,
  );
  return isAlone ? t('common.computer', { level }) : t('common.computerColour', { level, colour });
}

/** The description of a cell and the actions on it, such as "e7, forest, red pioneer, can move". */
export function cellLabel(
  cell: Cell,
  words: string,
  sources: ReadonlySet<Cell>,
  targets: ReadonlyMap<Cell, Choice>,
  foreseen: (effects: readonly GameEvent[]) => string | null = () => null,
): string {
  let label = words;
  if (sources.has(cell)) label += `, ${t('board.cell.canMove')}`;
  const target = targets.get(cell);
  if (!target) return label;
  const what = has(`board.can.${target.kind}`) ? t(`board.can.${target.kind}`) : t('board.can.choose');
  label += `, ${target.cost === undefined ? what : t('board.cell.cost', { what, points: target.cost })}`;
  const more = target.effects && foreseen(target.effects);
  return more ? `${label}, ${more}` : label;
}

/** The seat that texts call "you": the reader's, unless the reader has several. */
export const youAmong = (seats: readonly Seat[]): Seat | null => (seats.length === 1 ? (seats[0] ?? null) : null);

/** The names of players in texts for a reader with these seats, who is "you". */
export const callNames =
  (seats: readonly SeatView[], you: readonly Seat[]) =>
  (seat: Seat): string =>
    youAmong(you) === seat ? t('common.you') : seatName(seats, seat);

const readerOf = (seats: readonly SeatView[], you: Seat | null): Reader => ({
  nameOf: (seat) => seatName(seats, seat),
  you,
});

/** The text of an event; null if it has none. */
export function eventText(
  game: GameName,
  event: GameEvent,
  seats: readonly SeatView[],
  you: Seat | null = null,
): string | null {
  const reader = readerOf(seats, you);
  const own = pageOf(game)?.eventText?.(event, reader);
  if (own !== undefined) return own;
  if (event.kind === 'game-ended') return outcomeText(event['outcome'] as Outcome, seats, you);
  if (!has(`board.event.${event.kind}`)) return null;
  const fact = (key: string) => (typeof event[key] === 'string' || typeof event[key] === 'number' ? event[key] : '');
  return sentence(event.kind, typeof event['seat'] === 'number' ? event['seat'] : null, reader, {
    cell: fact('cell'),
    source: fact('source'),
    target: fact('target'),
    cost: fact('cost'),
    count: fact('actions'),
  });
}

/** The texts of several events. */
export const eventTexts = (
  game: GameName,
  events: readonly GameEvent[],
  seats: readonly SeatView[],
  you: Seat | null = null,
): string[] => events.flatMap((event) => eventText(game, event, seats, you) ?? []);

/** A sentence about what an event took from one of the reader's seats; null if it took nothing. */
export function lossText(
  game: GameName,
  event: GameEvent,
  seats: readonly SeatView[],
  yours: readonly Seat[],
): string | null {
  const page = pageOf(game);
  for (const seat of yours) {
    const text = page?.lossText?.(event, seat, (other) => seatName(seats, other));
    if (text) return text;
  }
  return null;
}

/** A line of narration. A loss of the reader is emphasised. */
export interface Line {
  text: string;
  isLoss: boolean;
}

/** The lines about a turn for a reader with these seats; in notation, if its events have no text. */
export function turnLines(
  game: GameName,
  turn: Pick<Turn, 'seat' | 'actions' | 'events'>,
  seats: readonly SeatView[],
  yours: readonly Seat[] = [],
): Line[] {
  const you = youAmong(yours);
  const isOwn = yours.includes(turn.seat);
  const lines = turn.events.flatMap((event): Line[] => {
    const loss = isOwn ? null : lossText(game, event, seats, yours);
    const text = loss ?? eventText(game, event, seats, you);
    return text === null ? [] : [{ text, isLoss: loss !== null }];
  });
  if (lines.length || !turn.actions.length) return lines;
  const text = sentence('played', turn.seat, readerOf(seats, you), { actions: turn.actions.join(' ') });
  return [{ text, isLoss: false }];
}

/** The same as texts only. */
export const turnTexts = (...of: Parameters<typeof turnLines>): string[] => turnLines(...of).map((line) => line.text);

export function outcomeText(
  outcome: Pick<Outcome, 'winners' | 'reason'>,
  seats: readonly SeatView[],
  you: Seat | null = null,
): string {
  const names = outcome.winners.map((seat) => seatName(seats, seat));
  const reason = t(`board.reason.${outcome.reason}`);
  if (outcome.reason === 'aborted') return reason;
  if (!names.length) return t('board.event.drawn', { reason });
  return names.length === 1
    ? sentence('won', outcome.winners[0] ?? null, readerOf(seats, you), { reason })
    : t('board.event.shared', { names, reason });
}

/** The result for a reader with the seats `you`, such as "You win 54–15". With all seats or none, it is neutral. */
export function resultText(
  outcome: Pick<Outcome, 'winners' | 'reason' | 'scores'>,
  seats: readonly SeatView[],
  you: readonly number[],
): string {
  const { winners, scores } = outcome;
  if (outcome.reason === 'aborted') return t('board.reason.aborted');
  if (!winners.length) return t('table.result.draw');
  const isAddressed = you.length < seats.length;
  const others = winners.filter((seat) => !isAddressed || !you.includes(seat));
  const names = others.map((seat) => seatName(seats, seat));
  const isYours = others.length < winners.length;
  if (winners.length > 1)
    return isYours && names.length ? t('table.result.youShare', { names }) : t('table.result.share', { names });
  const [first = 0] = winners;
  const score = scores
    ? [scores[first] ?? 0, ...scores.filter((_, seat) => seat !== first).sort((a, b) => b - a)].join('–')
    : '';
  if (isYours) return score ? t('table.result.youWinScore', { score }) : t('table.result.youWin');
  return score ? t('table.result.winsScore', { name: names, score }) : t('table.result.wins', { name: names });
}

/** The text of a refusal with its rule: in the reader's language if the catalogue has its code, else the server's message. */
export function refusalText(
  refused: Pick<Refused, 'code' | 'message'> & Partial<Pick<Refused, 'facts'>>,
  nameOf: (seat: number) => string = (seat) => t('common.seat', { number: seat + 1 }),
): string {
  const key = `common.error.${refused.code}`;
  const values = refused.facts?.['facts'] as Record<string, string | number> | undefined;
  if (values && has(`${key}.facts`))
    return t(`${key}.facts`, typeof values['seat'] === 'number' ? { ...values, name: nameOf(values['seat']) } : values);
  return has(key) ? t(key) : refused.message;
}
