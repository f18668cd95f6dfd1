/** Drafts of analyses in this browser's storage: the last few, each under the key of its source. */

import { keep, keepSoon, kept } from './storage';
import type { NodeId, StoredTree } from './tree';

export interface Draft {
  /** The address that opens it again. */
  address: string;
  tree: StoredTree;
  /** The tree as it was opened, for discarding all changes. */
  origin: StoredTree;
  at: NodeId;
}

const INDEX = 'terrarium.analyses';
const MOST = 12;
const place = (key: string) => `terrarium.analysis.${key}`;
const keys = (): string[] => kept<string[]>(INDEX) ?? [];

export const draftOf = (key: string): Draft | null => kept<Draft>(place(key));

/** The draft that was changed last. */
export function latestDraft(): Draft | null {
  const [key] = keys();
  return key === undefined ? null : draftOf(key);
}

export function keepDraft(key: string, draft: Draft): void {
  const [newest] = keys();
  if (newest !== key) {
    const order = [key, ...keys().filter((one) => one !== key)];
    for (const old of order.slice(MOST)) keep(place(old), null);
    keep(INDEX, order.slice(0, MOST));
  }
  keepSoon(place(key), draft);
}

export function dropDraft(key: string): void {
  keep(place(key), null);
  keep(
    INDEX,
    keys().filter((one) => one !== key),
  );
}

const texts = new Map<string, string>();

/** Holds a record that is too long for a link; returns the address that opens it on the analysis board. */
export function handOver(record: string): string {
  const id = crypto.getRandomValues(new Uint32Array(2)).reduce((text, part) => text + part.toString(36), '');
  texts.set(id, record);
  return `/analysis?file=${id}`;
}

/** A record passed to `handOver`, until it is stored as a draft. */
export const handed = (id: string): string | null => texts.get(id) ?? null;

export function dropHanded(id: string): void {
  texts.delete(id);
}
