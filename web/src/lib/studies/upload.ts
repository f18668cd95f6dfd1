/** Makes studies from more than one request can hold: a copy of a study of this browser, or a text with many records. */

import { TurnTree } from '../game/tree';
import { editorName } from '../game/treeBoard.svelte';
import { Refused } from '../net/client';
import { newKey } from '../net/key';
import { studies, type NewChapter, type StudyView } from '../net/studies';
import { guard } from '../tab/unsaved';
import type { StudyChange } from './changes';

/** The most bytes of a text in one request; the server's default limit is 262,144 for the whole request. */
export const MOST_BYTES = 250_000;
/** The most bytes of a file: a study can't hold more. */
export const MOST_FILE = 8_000_000;
/** The longest time to wait, in seconds, when the server asks for a pause. */
const LONGEST_PAUSE = 30;
/** How many incomplete studies and imports are remembered. */
const MOST_BEGUN = 8;

/** Sets a value, and forgets the oldest ones. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  for (const [oldest] of map) {
    if (map.size <= MOST_BEGUN) break;
    map.delete(oldest);
  }
}

/** A short text that is the same for the same value; two values in a browser have the same one only by a rare accident. */
function digestOf(value: unknown): string {
  const text = JSON.stringify(value);
  let [a, b] = [0x811c9dc5, 0x9e3779b9];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul((b ^ code) + (b >>> 15), 0x85ebca6b);
  }
  return [text.length, a >>> 0, b >>> 0].join(' ');
}

/** Studies that a broken connection left incomplete, by what they are made of: the next try continues them. */
const begun = new Map<string, { study: StudyView; sent: number }>();

/** Sends one chapter in each request. If one is refused, the study is removed. */
async function sendStudy(
  from: string,
  make: () => Promise<StudyView>,
  chapters: readonly (() => NewChapter | Promise<NewChapter>)[],
): Promise<StudyView> {
  const known = begun.get(from) ?? { study: await make(), sent: 0 };
  remember(begun, from, known);
  const { study } = known;
  const end = guard(() => true);
  try {
    for (const chapter of chapters.slice(known.sent)) {
      await addPatiently(study.id, await chapter());
      known.sent++;
    }
  } catch (error) {
    try {
      await studies.remove(study.id);
      begun.delete(from);
    } catch (problem) {
      // Deleted already: an answer was lost, or somebody else deleted it.
      if (problem instanceof Refused && problem.status === 404) begun.delete(from);
    }
    throw error;
  } finally {
    end();
  }
  begun.delete(from);
  return study;
}

/** Adds a chapter, after a pause if the server asks for one: it limits how many are added in a short time. */
async function addPatiently(id: string, chapter: NewChapter): Promise<string> {
  for (;;)
    try {
      return (await studies.addChapter(id, chapter)).id;
    } catch (error) {
      const pause = error instanceof Refused && error.status === 429 ? Number(error.facts['retry_after'] ?? 0) : 0;
      if (!(pause > 0 && pause <= LONGEST_PAUSE)) throw error;
      await new Promise((done) => setTimeout(done, 1000 * pause));
    }
}

/** Puts a study that is kept in this browser on the server, as a new one. */
export async function copyToServer(id: string): Promise<StudyView> {
  const { name, chapters } = await studies.one(id);
  const read = (chapter: StudyView['chapters'][number]) => async (): Promise<NewChapter> => {
    const { stored } = await studies.chapter(id, chapter.id);
    const { goal, hint } = chapter;
    return { name: chapter.name, source: { tree: TurnTree.stored(stored, '').data() }, goal, hint };
  };
  return sendStudy(`study ${id}`, () => studies.create(name, []), chapters.map(read));
}

/** A line that starts with `[Game ` begins a record. */
export function recordsOf(text: string): string[] {
  const [first = '', second, ...others] = text.split(/^(?=\[Game )/m).filter((part) => part.trim());
  if (second === undefined) return first ? [first] : [];
  // What is before the first record belongs to it.
  return first.startsWith('[Game ') ? [first, second, ...others] : [first + second, ...others];
}

const bytes = (text: string): number => new TextEncoder().encode(JSON.stringify(text)).length;

/** The chapter's name in the tags of a record, as the server writes it. */
function nameIn(record: string): string {
  const text = /^\[Chapter "((?:[^"\\]|\\.)*)"\s*\]/m.exec(record)?.[1] ?? '';
  return text.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_, code: string | undefined, letter: string) =>
    code === undefined ? letter.replace(/[nt]/, ' ') : String.fromCharCode(parseInt(code, 16)),
  );
}

/** A chapter for each record, named as in its tags; refused if a record is too large for a request. */
function chaptersOf(records: readonly string[], name: string): NewChapter[] {
  return records.map((text, i) => {
    const called = (nameIn(text) || (records.length > 1 ? `${name} (${i + 1})` : name)).slice(0, 100);
    if (bytes(text) <= MOST_BYTES) return { name: called, source: { text } };
    throw new Refused('chapter-size', '', 0, null, { facts: { name: called, most: MOST_BYTES / 1000 } });
  });
}

/** A new study with a chapter for each record of a text; `chapter` names records without a name. */
export async function studyOf(name: string, chapter: string, text: string): Promise<StudyView> {
  if (bytes(text) <= MOST_BYTES) return studies.create(name, [{ name: chapter, source: { text } }]);
  const chapters = chaptersOf(recordsOf(text), chapter);
  return sendStudy(
    digestOf({ name, chapters }),
    () => studies.create(name, []),
    chapters.map((one) => () => one),
  );
}

/** An import into a study that is not complete: the digest of its chapters, and the ids of those that were added. */
interface Import {
  from: string;
  ids: string[];
  /** Whether the server refused a chapter, so that the others have to be removed. */
  isVoid: boolean;
}

/** The last import into each study, until it is complete. */
const imports = new Map<string, Import>();

/** Whether the same request would be refused again. */
const isFinal = (error: unknown): boolean =>
  error instanceof Refused && error.status >= 400 && error.status < 500 && error.status !== 429;

/** Removes the chapters of an import. */
async function undo(id: string, { ids }: Import): Promise<void> {
  if (ids.length) {
    const stamp = { time: (await studies.one(id)).time + 1, by: editorName() };
    const changes = ids.map((one): StudyChange => ({ type: 'chapter', id: one, set: { is_hidden: true }, ...stamp }));
    await studies.change(id, { key: newKey(), changes });
  }
  imports.delete(id);
}

/**
 * Adds chapters to a study; returns the id of the first. After a broken connection the next try adds the others. If a chapter is refused,
 * those before it are removed, so that a corrected text does not add them twice.
 */
async function addChapters(id: string, chapters: readonly NewChapter[]): Promise<string> {
  const from = digestOf(chapters);
  const last = imports.get(id);
  if (last?.isVoid) await undo(id, last);
  const known = last?.from === from && !last.isVoid ? last : { from, ids: [], isVoid: false };
  remember(imports, id, known);
  const end = guard(() => true);
  try {
    for (const chapter of chapters.slice(known.ids.length)) known.ids.push(await addPatiently(id, chapter));
  } catch (error) {
    known.isVoid = isFinal(error);
    // If this fails, the next import into this study removes them.
    if (known.isVoid) await undo(id, known).catch(() => undefined);
    throw error;
  } finally {
    end();
  }
  imports.delete(id);
  return known.ids[0] ?? '';
}

/** Adds a chapter for each record of a text to a study; returns the id of the first. */
export async function addRecords(id: string, name: string, text: string): Promise<string> {
  const records = recordsOf(text);
  return addChapters(id, records.length > 1 ? chaptersOf(records, name) : [{ name, source: { text } }]);
}
