/** Studies: collections of chapters that people read and edit, together and live. */

import type { StoredTree } from '../game/tree';
import type { Batch, NodeFields, StudyChange } from '../studies/changes';
import { json } from './client';
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
  /** Too much was missed. */
  | { type: 'reload'; seq: number }
  | { type: 'gone' }
  | { type: 'pong' };

const path = encodeURIComponent;
export const studyAddress = (id: string): string => `/studies/${path(id)}`;

export const studies = {
  list: async () => (await json<{ studies: StudySummary[] }>('GET', '/studies')).studies,
  create: (name: string, chapters: readonly NewChapter[]) => json<StudyView>('POST', '/studies', { name, chapters }),
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
  addChapter: (id: string, chapter: NewChapter) => json<ChapterView>('POST', `${studyAddress(id)}/chapters`, chapter),
  /** The last batch is sent even if the page is left meanwhile. */
  change: (id: string, batch: Batch, isLast = false) =>
    json<{ seq: number }>('POST', `${studyAddress(id)}/changes`, batch, undefined, isLast),
  show: (id: string, visibility: Visibility) => json<StudyView>('PATCH', studyAddress(id), { visibility }),
  remove: (id: string) => json<void>('DELETE', studyAddress(id)),
  editLink: (id: string) => json<{ secret: string }>('POST', `${studyAddress(id)}/edit-link`, {}),
  dropEditLink: (id: string) => json<void>('DELETE', `${studyAddress(id)}/edit-link`),
  dropEditors: (id: string) => json<void>('DELETE', `${studyAddress(id)}/editors`),
  join: (id: string, secret: string) => json<StudyView>('POST', `${studyAddress(id)}/join`, { secret }),
  copy: (id: string) => json<StudyView>('POST', `${studyAddress(id)}/copy`, {}),
};
