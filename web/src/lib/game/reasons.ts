/** Why the engine prefers a turn, in words. */

import { pageOf } from '../../games/index.svelte';
import { has, t } from '../i18n/index.svelte';
import type { GameName, Reason, Seat } from '../net/types';

const SHOWN_CELLS = 4;

/**
 * A reason as a sentence: about a fault (`fault`: what the player missed or allowed), or about a line of the engine (`line`:
 * what it gains or prevents). Null if the catalogue has no text for it.
 */
export function reasonText(
  kind: 'fault' | 'line',
  reason: Reason,
  game: GameName,
  nameOf: (seat: Seat) => string,
): string | null {
  const about = `${reason.side}.${reason.code}`;
  const key = kind === 'fault' ? `reason.fault.${about}` : `reason.line.${about}`;
  if (!has(key)) return null;
  const cells = reason.cells ?? [];
  // The text names the player whom the better turn hurts.
  const named = reason.side === 'gains' ? (reason.owner ?? reason.seat) : reason.seat;
  return t(key, {
    name: named === undefined ? '' : nameOf(named),
    land: pageOf(game)?.reasonLand?.(reason) ?? '',
    cell: reason.cell ?? '',
    cells: cells.length > SHOWN_CELLS ? `${cells.slice(0, SHOWN_CELLS).join(', ')}, …` : cells.join(', '),
    count: cells.length,
    points: reason.points ?? 0,
    height: reason.height ?? 0,
    regions: reason.regions ?? 0,
  });
}

/** All reasons that the catalogue has a text for, the most important first. */
export function reasonTexts(
  kind: 'fault' | 'line',
  reasons: readonly Reason[] | undefined,
  game: GameName,
  nameOf: (seat: Seat) => string,
): string[] {
  return (reasons ?? []).flatMap((reason) => reasonText(kind, reason, game, nameOf) ?? []);
}

/** Turns that lost more than this part of the win are listed. */
const WORTH = 0.06;
const MOST = 3;

/** The three turns that lost most, in the order of play; only those of the given seats, if they have any. */
export function moments<T extends { number: number; loss: number; seat: Seat }>(
  turns: readonly T[],
  seats: readonly Seat[],
): T[] {
  const found = turns.filter((turn) => turn.loss > WORTH).sort((a, b) => b.loss - a.loss);
  const own = found.filter((turn) => seats.includes(turn.seat));
  return (own.length ? own : found).slice(0, MOST).sort((a, b) => a.number - b.number);
}
