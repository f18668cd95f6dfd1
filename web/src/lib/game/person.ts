/** Sentences about players, in the second person about the reader. */

import { has, t } from '../i18n/index.svelte';
import type { Values } from '../i18n/format';
import type { Seat } from '../net/types';

/** The reader: the names of the seats, and the reader's own seat, if there is exactly one. */
export interface Reader {
  nameOf: (seat: Seat) => string;
  you: Seat | null;
}

/** The text of an event of a seat: "You place a stone on e7." or "Red places a stone on e7." */
export function sentence(kind: string, seat: Seat | null, reader: Reader, values: Values = {}): string {
  const own = `story.you.${kind}`;
  if (seat !== null && seat === reader.you && has(own)) return t(own, values);
  return t(`board.event.${kind}`, { ...values, name: seat === null ? '' : reader.nameOf(seat) });
}
