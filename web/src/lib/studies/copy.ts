/** Puts a study that is kept in this browser on the server, as a new one. */

import { TurnTree } from '../game/tree';
import { Refused } from '../net/client';
import { studies, type StudyView } from '../net/studies';

/** Copies that a broken connection left incomplete, by the study they are made of: the next try continues them. */
const begun = new Map<string, { copy: StudyView; sent: Set<string> }>();

/** One chapter in each request: a server bounds their size. */
export async function copyToServer(id: string): Promise<StudyView> {
  const { name, chapters } = await studies.one(id);
  const { copy, sent } = begun.get(id) ?? { copy: await studies.create(name, []), sent: new Set<string>() };
  begun.set(id, { copy, sent });
  try {
    for (const chapter of chapters.filter((one) => !sent.has(one.id))) {
      const { stored } = await studies.chapter(id, chapter.id);
      const tree = TurnTree.stored(stored, '').data();
      const { goal, hint } = chapter;
      await studies.addChapter(copy.id, { name: chapter.name, source: { tree }, goal, hint });
      sent.add(chapter.id);
    }
  } catch (error) {
    try {
      await studies.remove(copy.id);
      begun.delete(id);
    } catch (problem) {
      // Deleted already: an answer was lost, or somebody else deleted it.
      if (problem instanceof Refused && problem.status === 404) begun.delete(id);
    }
    throw error;
  }
  begun.delete(id);
  return copy;
}
