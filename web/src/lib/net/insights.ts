/** A person's finished games in numbers. */

import { json } from './client';
import type { components } from './openapi';

type Schemas = components['schemas'];
export type Insights = Schemas['Insights'];
export type Group = Schemas['Group'];

export const insights = (query: Record<string, string>, signal: AbortSignal) =>
  json<Insights>('GET', `/me/insights?${new URLSearchParams(query)}`, undefined, signal);
