/** Snapshots of long games lack the first turns. They are requested page by page, unless they are known already. */

import { api } from './client';
import type { Snapshot, Turn } from './types';

type Page = { turns: Turn[]; omitted: number };

/** The snapshot with all turns; `known` are the turns of an earlier snapshot of the same game. */
export async function withAllTurns(
  snapshot: Snapshot,
  known: readonly Turn[],
  page: (id: string, before: number) => Promise<Page> = api.history,
): Promise<Snapshot> {
  let { turns } = snapshot;
  let omitted = snapshot.turns_omitted ?? 0;
  // Only turns at the end can be taken back: if one turn is the same, all before it are.
  if (omitted && known[omitted]?.seq === turns[0]?.seq) turns = [...known.slice(0, omitted), ...turns];
  else
    while (omitted) {
      const found = await page(snapshot.id, omitted + 1);
      turns = [...found.turns, ...turns];
      omitted = found.omitted;
    }
  return { ...snapshot, turns, turns_omitted: 0 };
}
