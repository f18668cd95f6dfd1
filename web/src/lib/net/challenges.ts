/** Challenges between accounts. */

import { json } from './client';
import type { components } from './openapi';
import type { ClockSetting, CustomBoard, GameName, Rules } from './types';

export type Challenge = components['schemas']['ChallengeView'];
/** The settings of a challenge; a missing setting has its default. */
export interface ChallengeTerms {
  rules?: Rules;
  board?: string | CustomBoard;
  clock?: ClockSetting | null;
  visibility?: 'private' | 'listed';
  /** The challenger's seat; without it, chance decides. */
  seat?: number;
}

/** A challenge is for two players. */
export const PLAYERS = 2;

const of = (id: string) => `/challenges/${encodeURIComponent(id)}`;

export const challenges = {
  list: async () => (await json<{ challenges: Challenge[] }>('GET', '/challenges')).challenges,
  send: (order: { to: string; game: GameName } & ChallengeTerms) => json<Challenge>('POST', '/challenges', order),
  answer: (id: string, how: 'accept' | 'decline' | 'withdraw') => json<Challenge>('POST', `${of(id)}/${how}`),
};
