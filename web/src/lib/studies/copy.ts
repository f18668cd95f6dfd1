/** Puts a study that is kept in this browser on the server, as a new one. */

import { TurnTree } from '../game/tree';
import { studies, type NewChapter, type StudyView } from '../net/studies';

export async function copyToServer(id: string): Promise<StudyView> {
  const { name, chapters } = await studies.one(id);
  const made: NewChapter[] = [];
  for (const chapter of chapters) {
    const { stored } = await studies.chapter(id, chapter.id);
    const tree = TurnTree.stored(stored, '').data();
    made.push({ name: chapter.name, source: { tree }, goal: chapter.goal, hint: chapter.hint });
  }
  return studies.create(name, made);
}
