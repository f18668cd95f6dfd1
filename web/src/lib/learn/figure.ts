/** Positions of lessons, rule books and pictures, with the part of the page that draws them. */

import { loadPage } from '../../games/index.svelte';
import { api } from '../net/client';
import type { TryResult } from '../net/types';

export async function tryFigure(position: string, actions: string[] = []): Promise<TryResult> {
  const result = await api.tryPosition(position, actions);
  const page = await loadPage(result.view.game);
  return result.board && page.taught ? { ...result, board: page.taught(result.board) } : result;
}
