/**
 * The reader's attempts at puzzles. They are stored in this browser first, one key for each puzzle, so that two tabs never
 * overwrite each other. An account takes them over; for a guest they stay, and the figures are computed from them.
 */

import { puzzles, type Attempt, type Progress } from '../net/puzzles';
import type { GameName } from '../net/types';
import { keepProgress, lastProgress } from './lastProgress';

const PREFIX = 'terrarium.puzzle.';
const key = (game: GameName, puzzle: string) => `${PREFIX}${game}.${puzzle}`;

const RESULTS: readonly unknown[] = ['solved', 'helped', 'missed'] satisfies Attempt['result'][];
/** The last millisecond of the year 9999, as on the server. */
const LAST_TIME = 253_402_300_799_999;
const isTime = (value: unknown): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= LAST_TIME;

/** Whether the server will accept an attempt: one that it refuses would block all others. */
function isAttempt(found: Partial<Attempt> | null): found is Attempt {
  return (
    typeof found?.puzzle === 'string' &&
    typeof found.game === 'string' &&
    RESULTS.includes(found.result) &&
    isTime(found.at) &&
    (found.solved == null || isTime(found.solved))
  );
}

function read(name: string): Attempt | null {
  try {
    const found = JSON.parse(localStorage.getItem(name) ?? 'null') as Partial<Attempt> | null;
    if (!isAttempt(found)) return null;
    const { game, puzzle, result, at, solved = null } = found;
    return { game, puzzle, result, at, solved };
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
    // Storage is full or blocked: the attempt is lost.
  }
}

const hintKey = (game: GameName, puzzle: string) => `terrarium.hint.${game}.${puzzle}`;

/** How much of a hint was shown before the first try ended: nothing, the theme, the cell too. */
export function hintAt(game: GameName, puzzle: string): number {
  try {
    const shown = Number(localStorage.getItem(hintKey(game, puzzle)));
    return shown === 1 || shown === 2 ? shown : 0;
  } catch {
    return 0;
  }
}

export function storeHint(game: GameName, puzzle: string, shown: number): void {
  try {
    localStorage.setItem(hintKey(game, puzzle), String(shown));
  } catch {
    // Storage is full or blocked: the hint is forgotten when the page is left.
  }
}

export function dropHint(game: GameName, puzzle: string): void {
  try {
    localStorage.removeItem(hintKey(game, puzzle));
  } catch {
    // Storage is blocked, so nothing is stored.
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

/** Sends what is stored here and fetches the figures. If that fails, those of an account stay as they were. */
export async function syncProgress(): Promise<Progress> {
  const attempts = storedAttempts();
  try {
    const found = await puzzles.progress(attempts);
    keepProgress(found);
    if (found.is_kept) remove(attempts);
    own.progress = found;
    return found;
  } catch (error) {
    const last = lastProgress();
    if (last) own.progress = { ...last, attempts: joined(last.attempts, attempts) };
    throw error;
  }
}

/** The attempts that an account has, with those that it has not taken over yet. */
function joined(known: readonly Attempt[], stored: readonly Attempt[]): Attempt[] {
  const all = new Map([...stored, ...known].map((one) => [key(one.game, one.puzzle), one]));
  for (const { game, puzzle, solved } of stored) {
    const one = all.get(key(game, puzzle));
    if (one && one.solved == null && solved != null) all.set(key(game, puzzle), { ...one, solved });
  }
  return [...all.values()];
}

/** Fetches the figures again when another tab solves something, or the reader comes back to this one; returns a function that stops this. */
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
