/** Requests about puzzles: lists, tries and their answers, and the reader's progress. */

import { json } from './client';
import type { components } from './openapi';
import type { GameEvent, GameName, Reason, Turn, View } from './types';

type Schemas = components['schemas'];

export type PuzzleView = Schemas['PuzzleView'];
export type PuzzleList = Schemas['PuzzleList'];
export type GamePuzzles = Schemas['GamePuzzles'];
export type PuzzleHint = Schemas['PuzzleHint'];
export type Attempt = Schemas['Attempt'];
export type Progress = Schemas['Progress'];
export type AskPuzzle = Schemas['AskPuzzle'];

/** A turn with its events and the position after it. */
export type PlayedTurn = Turn & { view: View; position: string; events: GameEvent[] };

export type Answer = Omit<Schemas['Answer'], 'turns' | 'reasons'> & { turns: PlayedTurn[]; reasons: Reason[] };

const path = (game: GameName, id: string) => `/puzzles/${encodeURIComponent(game)}/${encodeURIComponent(id)}`;

export const puzzles = {
  list: () => json<PuzzleList>('GET', '/puzzles'),
  one: (game: GameName, id: string) => json<PuzzleView>('GET', path(game, id)),
  next: (game: GameName, wanted: Partial<AskPuzzle>) =>
    json<PuzzleView>('POST', `/puzzles/${encodeURIComponent(game)}/next`, wanted),
  hint: (game: GameName, id: string) => json<PuzzleHint>('POST', `${path(game, id)}/hint`, {}),
  try: (game: GameName, id: string, actions: string[], signal: AbortSignal) =>
    json<Answer>('POST', `${path(game, id)}/try`, { actions }, signal),
  giveUp: (game: GameName, id: string, signal: AbortSignal) =>
    json<Answer>('POST', `${path(game, id)}/give-up`, {}, signal),
  progress: (attempts: readonly Attempt[]) => json<Progress>('POST', '/me/puzzles', { attempts }),
};
