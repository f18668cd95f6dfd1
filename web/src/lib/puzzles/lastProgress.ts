/** The last known progress of an account, shown while the server can't be reached: this browser knows only some of the attempts. */

import type { Progress } from '../net/puzzles';

const KEY = 'terrarium.progress';

/** Null for a guest. */
export function lastProgress(): Progress | null {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? 'null') as Progress | null;
  } catch {
    return null;
  }
}

export function keepProgress(progress: Progress): void {
  try {
    if (progress.is_kept) localStorage.setItem(KEY, JSON.stringify(progress));
    else localStorage.removeItem(KEY);
  } catch {
    // Storage is full or blocked: the progress is shown when the server answers.
  }
}
