/** Requests about talk at a table and about plans. */

import { json } from './client';
import type { components } from './openapi';
import type { TryResult } from './types';

type Schemas = components['schemas'];
export type Said = Schemas['SaidView'];
export type TalkView = Schemas['TalkView'];
export type PlanView = Schemas['PlanView'];
/** One entry of a plan: a complete turn, or null for any turn of the others. */
export type TurnAhead = string[] | null;

const path = encodeURIComponent;

export const social = {
  talk: (id: string) => json<TalkView>('GET', `/games/${path(id)}/talk`),
  say: (id: string, seat: number, what: { phrase: string } | { text: string }) =>
    json<TalkView>('POST', `/games/${path(id)}/talk`, { seat, ...what }),
  mute: (id: string, seat: number, muted: boolean) =>
    json<TalkView>('PUT', `/games/${path(id)}/mutes/${seat}`, { muted }),
  allowsText: () => json<{ allows_text: boolean }>('GET', '/me/talk'),
  allowText: (allowed: boolean) => json<{ allows_text: boolean }>('PUT', '/me/talk', { allows_text: allowed }),
  plans: (id: string, seat: number) => json<{ plans: PlanView[] }>('GET', `/games/${path(id)}/plans?seat=${seat}`),
  plan: (id: string, seat: number, seq: number, turns: TurnAhead[]) =>
    json<{ plans: PlanView[] }>('POST', `/games/${path(id)}/plans`, { seat, seq, turns }),
  forget: (id: string, seat: number, plan: string) =>
    json<{ plans: PlanView[] }>('DELETE', `/games/${path(id)}/plans/${path(plan)}?seat=${seat}`),
  tryAhead: (id: string, seat: number, seq: number, turns: TurnAhead[], actions: string[]) =>
    json<TryResult & { is_example: boolean }>('POST', `/games/${path(id)}/plans/try`, { seat, seq, turns, actions }),
};
