/** Studies: collections of chapters that people read and edit, together and live. */

import type { StoredTree } from '../game/tree';
import type { Batch, NodeFields, StudyChange } from '../studies/changes';
import { json, Refused } from './client';
import { newKey } from './key';
import type { ReadTree, Schemas } from './types';

/** A study in a list. */
export type StudySummary = Schemas['StudySummary'];
export type ChapterView = Schemas['ChapterView'];
export type StudyView = Schemas['StudyView'];
export type Visibility = StudyView['visibility'];

/** What a chapter is made from. */
export type ChapterSource = Omit<Schemas['ChapterSource'], 'start'> & { start?: unknown };
export type NewChapter = Pick<Schemas['NewChapter'], 'name'> &
  Partial<Pick<Schemas['NewChapter'], 'goal' | 'hint'>> & { source: ChapterSource };

type SentNode = Omit<StoredTree['nodes'][number], 'isHidden'> & Pick<NodeFields, 'is_hidden'>;
interface SentChapter {
  seq: number;
  stored: Omit<StoredTree, 'nodes'> & { nodes: SentNode[] };
  read: ReadTree;
}
export interface OpenedChapter {
  seq: number;
  stored: StoredTree;
  read: ReadTree;
}

export type StudyMessage =
  | { type: 'changes'; seq: number; changes: StudyChange[] }
  | ({ type: 'study' } & StudyView)
  | { type: 'people'; editors: number; readers: number }
  /** This client missed too many changes: read the study again. */
  | { type: 'reload'; seq: number }
  | { type: 'gone' }
  | { type: 'pong' };

/** The keys of requests that were sent and may have been carried out without an answer; the last few. */
const keys = new Map<string, string>();
const MOST_KEYS = 8;

/** Sends a request that makes something. Repeated because its answer was lost, it has the same key, and the server makes one thing. */
export async function once<T>(request: unknown, send: (key: string) => Promise<T>): Promise<T> {
  const text = JSON.stringify(request);
  const key = keys.get(text) ?? newKey();
  keys.delete(text);
  keys.set(text, key);
  for (const [oldest] of keys) {
    if (keys.size <= MOST_KEYS) break;
    keys.delete(oldest);
  }
  try {
    const answer = await send(key);
    keys.delete(text);
    return answer;
  } catch (error) {
    // A refusal is an answer. Without one, or with a 5xx, the request may have been carried out.
    if (error instanceof Refused && error.status >= 400 && error.status < 500) keys.delete(text);
    throw error;
  }
}

/** How many keys are kept, for tests. */
export const keptKeys = (): number => keys.size;

const path = encodeURIComponent;
export const studyAddress = (id: string): string => `/studies/${path(id)}`;

export const studies = {
  list: async () => (await json<{ studies: StudySummary[] }>('GET', '/studies')).studies,
  create: (name: string, chapters: readonly NewChapter[]) =>
    once({ name, chapters }, (key) => json<StudyView>('POST', '/studies', { name, chapters, key })),
  one: (id: string) => json<StudyView>('GET', studyAddress(id)),
  chapter: async (id: string, chapter: string): Promise<OpenedChapter> => {
    const { seq, stored, read } = await json<SentChapter>('GET', `${studyAddress(id)}/chapters/${path(chapter)}`);
    const nodes = stored.nodes.map(({ is_hidden, ...node }) => ({ ...node, isHidden: is_hidden }));
    const stamps = stored.stamps.map(([key, ...stamp]): StoredTree['stamps'][number] => [
      key.replace(/ is_hidden$/, ' isHidden'),
      ...stamp,
    ]);
    return { seq, stored: { ...stored, nodes, stamps }, read };
  },
  addChapter: (id: string, chapter: NewChapter) =>
    once({ id, chapter }, (key) => json<ChapterView>('POST', `${studyAddress(id)}/chapters`, { ...chapter, key })),
  /** The last batch is sent even if the page is left meanwhile. */
  change: (id: string, batch: Batch, isLast = false) =>
    json<{ seq: number }>('POST', `${studyAddress(id)}/changes`, batch, undefined, isLast),
  show: (id: string, visibility: Visibility) => json<StudyView>('PATCH', studyAddress(id), { visibility }),
  remove: (id: string) => json<void>('DELETE', studyAddress(id)),
  editLink: (id: string) => json<{ secret: string }>('POST', `${studyAddress(id)}/edit-link`, {}),
  dropEditLink: (id: string) => json<void>('DELETE', `${studyAddress(id)}/edit-link`),
  dropEditors: (id: string) => json<void>('DELETE', `${studyAddress(id)}/editors`),
  join: (id: string, secret: string) => json<StudyView>('POST', `${studyAddress(id)}/join`, { secret }),
  copy: (id: string) =>
    once({ copy: id }, (key) => json<StudyView>('POST', `${studyAddress(id)}/copy?key=${path(key)}`, {})),
};
