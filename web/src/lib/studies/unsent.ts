/** Changes of studies that this browser could not send, stored until the server has them. */

import { keep, kept } from '../game/storage';
import { Refused } from '../net/client';
import { studies } from '../net/studies';
import type { StoredQueue } from './changes';

const PREFIX = 'terrarium.sending.study.';

/** Where an editor stores what is still to be sent. */
export const queueKey = (study: string, by: string): string => `${PREFIX}${study}.${by}`;

/** The queues of earlier visits and of other tabs, of one study or of all. */
export function storedQueues(study?: string): string[] {
  const prefix = study === undefined ? PREFIX : queueKey(study, '');
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}

/** How many changes of a study were not sent. */
export function countUnsent(study: string): number {
  return storedQueues(study)
    .map((key) => kept<StoredQueue>(key))
    .reduce((sum, queue) => sum + (queue?.sending?.changes.length ?? 0) + (queue?.waiting.length ?? 0), 0);
}

/** Gives up what was not sent. */
export function dropUnsent(study: string): void {
  for (const key of storedQueues(study)) keep(key, null);
}

/** The studies that no longer exist for this person, with the number of changes that were not sent. */
export async function lostStudies(): Promise<{ id: string; count: number }[]> {
  const ids = new Set(storedQueues().map((key) => key.slice(PREFIX.length, key.lastIndexOf('.'))));
  const isLost = (id: string) =>
    studies.one(id).then(
      () => false,
      (error: unknown) => error instanceof Refused && error.status === 404,
    );
  const found = await Promise.all([...ids].map(async (id) => ({ id, is: await isLost(id) })));
  return found.flatMap(({ id, is }) => (is ? [{ id, count: countUnsent(id) }] : []));
}
