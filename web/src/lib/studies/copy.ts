/** Puts a study that is kept in this browser on the server, as a new one. */

import { TurnTree } from '../game/tree';
import { studies, type StudyView } from '../net/studies';

/** One chapter in each request: a server bounds their size. */
export async function copyToServer(id: string): Promise<StudyView> {
  const { name, chapters } = await studies.one(id);
  const copy = await studies.create(name, []);
  try {
    for (const chapter of chapters) {
      const { stored } = await studies.chapter(id, chapter.id);
      const tree = TurnTree.stored(stored, '').data();
      const { goal, hint } = chapter;
      await studies.addChapter(copy.id, { name: chapter.name, source: { tree }, goal, hint });
    }
  } catch (error) {
    await studies.remove(copy.id).catch(() => undefined);
    throw error;
  }
  return copy;
}
