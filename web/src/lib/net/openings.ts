/** Requests the turns that were played in a position. */

import { json } from './client';
import type { components } from './openapi';

export type Explored = components['schemas']['Explored'];
export type ExploredTurn = Explored['turns'][number];
export type Source = components['schemas']['AskOpenings']['source'] & string;

export const openings = (position: string, source: Source, signal: AbortSignal) =>
  json<Explored>('POST', '/openings', { position, source }, signal);
