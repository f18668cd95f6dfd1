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
/** The most chapters of a study. */
export const MOST_CHAPTERS = 64;
/** The longest time to wait, in seconds, when the server asks for a pause. */
const LONGEST_PAUSE = 30;
/** How many incomplete studies and imports are remembered. */
const MOST_BEGUN = 8;

/** What the caller of an import wants to know of it, and how it is ended. */
export interface Sending {
  /** Ends the import after the request that is on its way, and removes what was sent. */
  signal?: AbortSignal;
  /** Called before each chapter with how many were sent, and with how many there are. */
  onsent?: (sent: number, count: number) => void;
}

let last: Promise<unknown> = Promise.resolve();

/** Runs imports one after the other, so that what an ended one leaves is removed before the next begins. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(work, work);
  last = mine;
  return mine;
}

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

/** Makes a study and sends one chapter in each request. If one is refused, the study is removed. */
async function sendStudy(
  from: string,
  make: () => Promise<StudyView>,
  chapters: readonly (() => NewChapter | Promise<NewChapter>)[],
  { signal, onsent }: Sending = {},
): Promise<StudyView> {
  signal?.throwIfAborted();
  const known = begun.get(from) ?? { study: await make(), sent: 0 };
  remember(begun, from, known);
  const { study } = known;
  const end = guard(() => true);
  try {
    for (const chapter of chapters.slice(known.sent)) {
      onsent?.(known.sent, chapters.length);
      await addPatiently(study.id, await chapter(), signal);
      known.sent++;
    }
    signal?.throwIfAborted();
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
async function addPatiently(id: string, chapter: NewChapter, signal?: AbortSignal): Promise<string> {
  for (;;) {
    signal?.throwIfAborted();
    try {
      return (await studies.addChapter(id, chapter)).id;
    } catch (error) {
      const pause = error instanceof Refused && error.status === 429 ? Number(error.facts['retry_after'] ?? 0) : 0;
      if (!(pause > 0 && pause <= LONGEST_PAUSE)) throw error;
      await pauseOf(1000 * pause, signal);
    }
  }
}

/** Waits, or until the import is ended. */
function pauseOf(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    const end = () => {
      clearTimeout(timer);
      done();
    };
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** Puts a study that is kept in this browser on the server, as a new one. */
export async function copyToServer(id: string): Promise<StudyView> {
  const { name, chapters } = await studies.one(id);
  const read = (chapter: StudyView['chapters'][number]) => async (): Promise<NewChapter> => {
    const { stored } = await studies.chapter(id, chapter.id);
    const { goal, hint } = chapter;
    return { name: chapter.name, source: { tree: TurnTree.stored(stored, '').data() }, goal, hint };
  };
  return inTurn(() => sendStudy(`study ${id}`, () => studies.create(name, []), chapters.map(read)));
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

/** Refuses chapters that do not fit into a study. */
function checkRoom(chapters: readonly NewChapter[], room: number): void {
  if (chapters.length <= room) return;
  const facts = { count: chapters.length, room: Math.max(0, room) };
  throw new Refused('too-many-chapters', '', 0, null, { facts });
}

/** A new study whose chapters fit into one request. */
export function newStudy(name: string, chapters: readonly NewChapter[], sending?: Sending): Promise<StudyView> {
  return inTurn(() => sendStudy(digestOf({ name, chapters }), () => studies.create(name, chapters), [], sending));
}

/** A new study with a chapter for each record of a text; `chapter` names records without a name. */
export async function studyOf(name: string, chapter: string, text: string, sending?: Sending): Promise<StudyView> {
  if (bytes(text) <= MOST_BYTES) return newStudy(name, [{ name: chapter, source: { text } }], sending);
  const chapters = chaptersOf(recordsOf(text), chapter);
  checkRoom(chapters, MOST_CHAPTERS);
  const each = chapters.map((one) => () => one);
  return inTurn(() => sendStudy(digestOf({ name, chapters }), () => studies.create(name, []), each, sending));
}

/** An import into a study that is not complete: the digest of its chapters, and the ids of those that were added. */
interface Import {
  from: string;
  ids: string[];
  /** Whether it was refused or ended, so that its chapters have to be removed. */
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

/** Adds chapters to a study that has room for `room` of them; returns the id of the first. */
export function addChapters(
  id: string,
  chapters: readonly NewChapter[],
  room: number,
  sending?: Sending,
): Promise<string> {
  return inTurn(() => sendChapters(id, chapters, room, sending));
}

/**
 * Sends one chapter in each request. After a broken connection the next try adds the others. If a chapter is refused, those before it are
 * removed, so that a corrected text does not add them twice.
 */
async function sendChapters(
  id: string,
  chapters: readonly NewChapter[],
  room: number,
  { signal, onsent }: Sending = {},
): Promise<string> {
  signal?.throwIfAborted();
  const from = digestOf(chapters);
  const before = imports.get(id);
  if (before?.isVoid) await undo(id, before);
  const known = before?.from === from && !before.isVoid ? before : { from, ids: [], isVoid: false };
  checkRoom(chapters.slice(known.ids.length), before?.isVoid ? room + before.ids.length : room);
  remember(imports, id, known);
  const end = guard(() => true);
  try {
    for (const chapter of chapters.slice(known.ids.length)) {
      onsent?.(known.ids.length, chapters.length);
      known.ids.push(await addPatiently(id, chapter, signal));
    }
    signal?.throwIfAborted();
  } catch (error) {
    known.isVoid = signal?.aborted || isFinal(error);
    // If this fails, the next import into this study removes them.
    if (known.isVoid) await undo(id, known).catch(() => undefined);
    throw error;
  } finally {
    end();
  }
  imports.delete(id);
  return known.ids[0] ?? '';
}

/** Adds a chapter for each record of a text to a study, which has room for `room` chapters; returns the id of the first. */
export async function addRecords(
  id: string,
  name: string,
  text: string,
  room: number,
  sending?: Sending,
): Promise<string> {
  const records = recordsOf(text);
  const chapters = records.length > 1 ? chaptersOf(records, name) : [{ name, source: { text } }];
  return addChapters(id, chapters, room, sending);
}
