/** Files of analyses that this page saved as JSON because they could not be opened. */

import { t } from '../i18n/index.svelte';
import { api, Refused } from '../net/client';
import type { Draft } from './analysisDrafts';
import { TurnTree, type TreeData } from './tree';

/** Whether a text is such a file, or looks like one. */
export const isSaved = (text: string): boolean => /^\s*\{/.test(text);

/** The turns of a saved analysis as a `.terra` text, and how many could not be read. Throws `Refused` if it is damaged. */
export async function readSaved(text: string): Promise<{ text: string; omitted: number }> {
  const read = await api.tree({ tree: treeIn(text), views: false, is_lenient: true });
  return { text: read.text, omitted: read.omitted };
}

function treeIn(text: string): TreeData {
  try {
    const data = TurnTree.stored((JSON.parse(text) as Draft).tree, '').data();
    if (data.nodes.every(({ actions }) => actions.length > 0)) return data;
  } catch {
    // Not JSON, or not a tree.
  }
  throw new Refused('damaged-analysis', t('tree.damaged'), 0);
}
