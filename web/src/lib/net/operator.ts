/** Requests of the operators' screen, and reports to operators. */

import { json } from './client';
import type { components } from './openapi';
import { studyAddress } from './studies';

type Schemas = components['schemas'];
export type PersonRow = Schemas['PersonRow'];
export type GameRow = Schemas['GameRow'];
export type ReportRow = Schemas['ReportRow'];
export type InviteRow = Schemas['InviteRow'];
export type ActRow = Schemas['ActRow'];
export type ActName = Schemas['Act']['act'];

const matching = (text: string) => `?${new URLSearchParams({ text })}`;

export const operator = {
  people: (text: string) => json<PersonRow[]>('GET', `/operator/people${matching(text)}`),
  games: (text: string) => json<GameRow[]>('GET', `/operator/games${matching(text)}`),
  reports: (every: boolean) => json<ReportRow[]>('GET', `/operator/reports?all=${every ? 1 : 0}`),
  invites: () => json<InviteRow[]>('GET', '/operator/invites'),
  stats: () => json<Record<string, number>>('GET', '/operator/stats'),
  log: () => json<ActRow[]>('GET', '/operator/log'),
  act: (act: ActName, subject: string, reason = '') =>
    json<{ code: string | null }>('POST', '/operator/acts', { act, subject, reason }),
  invite: (uses: number, days: number, note: string) =>
    json<{ code: string | null }>('POST', '/operator/invites', { uses, days, note }),
};

/** Reports a study of somebody else to the operators. */
export const reportStudy = (study: string, reason: string, text: string) =>
  json<{ id: string }>('POST', `${studyAddress(study)}/reports`, { reason, text });

/** Reports a player at the reader's table to the operators. */
export const report = (game: string, seat: number, reason: string, text: string) =>
  json<{ id: string }>('POST', `/games/${encodeURIComponent(game)}/reports`, { seat, reason, text });
