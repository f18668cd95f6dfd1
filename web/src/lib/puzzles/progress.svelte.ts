/**
 * What this reader has tried and solved. Attempts are stored in this browser first, one key for each puzzle, so that two tabs never
 * overwrite each other. An account takes them over; for a guest they stay, and the figures are computed from them.
 */

import { puzzles, type Attempt, type Progress } from '../net/puzzles';
import type { GameName } from '../net/types';

const PREFIX = 'terrarium.puzzle.';
const key = (game: GameName, puzzle: string) => `${PREFIX}${game}.${puzzle}`;

function read(name: string): Attempt | null {
  try {
    const found = JSON.parse(localStorage.getItem(name) ?? 'null') as Partial<Attempt> | null;
    return found && typeof found.puzzle === 'string' && typeof found.game === 'string' && typeof found.at === 'number'
      ? (found as Attempt)
      : null;
  } catch {
    return null;
  }
}

/** The attempts in this browser that no account has taken over. */
export function storedAttempts(): Attempt[] {
  try {
    return Object.keys(localStorage)
      .filter((name) => name.startsWith(PREFIX))
      .flatMap((name) => read(name) ?? []);
  } catch {
    return [];
  }
}

/** Stores how a try ended. The first result of a puzzle counts, and the first time that it is solved. */
export function storeAttempt(game: GameName, puzzle: string, result: Attempt['result'], now = Date.now()): void {
  const solved = result === 'missed' ? null : now;
  const before = read(key(game, puzzle)) ?? { game, puzzle, result, at: now, solved };
  try {
    localStorage.setItem(key(game, puzzle), JSON.stringify({ ...before, solved: before.solved ?? solved }));
  } catch {
    // Full or closed storage: the puzzle is not remembered.
  }
}

/** Removes what an account has taken over, unless another tab has changed it meanwhile. */
function remove(attempts: readonly Attempt[]): void {
  for (const attempt of attempts) {
    const name = key(attempt.game, attempt.puzzle);
    if (JSON.stringify(read(name)) === JSON.stringify(attempt)) localStorage.removeItem(name);
  }
}

class State {
  progress = $state.raw<Progress | null>(null);
}
export const own = new State();

/** Sends what is stored here and fetches the figures. */
export async function syncProgress(): Promise<Progress> {
  const attempts = storedAttempts();
  const found = await puzzles.progress(attempts);
  if (found.is_kept) remove(attempts);
  own.progress = found;
  return found;
}

/** Fetches the figures again when another tab solves something, or the reader comes back to this one; gives what ends it. */
export function followProgress(): () => void {
  const again = () => void syncProgress().catch(() => undefined);
  const changed = (event: StorageEvent) => event.key?.startsWith(PREFIX) && event.newValue !== null && again();
  const shown = () => document.visibilityState === 'visible' && again();
  addEventListener('storage', changed);
  document.addEventListener('visibilitychange', shown);
  return () => {
    removeEventListener('storage', changed);
    document.removeEventListener('visibilitychange', shown);
  };
}

export const attemptAt = (game: GameName, puzzle: string): Attempt | undefined =>
  own.progress?.attempts.find((one) => one.game === game && one.puzzle === puzzle);

/** What the next puzzle of a game depends on. */
export function knownOf(game: GameName): { solved: string[]; missed: string[]; rating?: number } {
  const tried = (own.progress?.attempts ?? []).filter((one) => one.game === game);
  const ids = (attempts: Attempt[]) => attempts.map((one) => one.puzzle);
  return {
    solved: ids(tried.filter((one) => one.solved != null)),
    missed: ids(tried.filter((one) => one.solved == null)),
    rating: own.progress?.games[game]?.rating,
  };
}
