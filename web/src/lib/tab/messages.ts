/** The messages between the page and its worker and, with several tabs, between the workers. */

/** Packs of data that a first game does not need: Python asks for them by name. */
export const LATER = ['openings', 'puzzles'] as const;

export type Request =
  | { type: 'start'; folder: string; processors: number }
  | { type: 'ask'; id: string; method: string; path: string; body: string }
  | { type: 'cancel'; id: string }
  | { type: 'watch'; id: string; game: string; since: number | null }
  | { type: 'hear'; id: string; text: string }
  | { type: 'unwatch'; id: string }
  /** The page is closed. */
  | { type: 'leave' };

export type Reply =
  | { type: 'reply'; id: string; status: number; media: string; text: string; isLast: boolean }
  | { type: 'tell'; id: string; text: string }
  | { type: 'closed'; id: string }
  /** Earlier requests will not be answered, because the tab that had the games was closed. */
  | { type: 'lost' }
  /** Whether games are kept, or lost when the tab is closed. */
  | { type: 'storage'; isKept: boolean }
  /** Python is loaded: requests are answered without delay. */
  | { type: 'ready' }
  | { type: 'failed'; message: string };

/** Between tabs: to the tab that has the games, or from it to one tab or to all. */
export type Relay =
  | { kind: 'request'; from: string; request: Request }
  | { kind: 'reply'; to: string | null; reply: Reply }
  | { kind: 'who' }
  | { kind: 'leader'; id: string }
  | { kind: 'gone'; from: string };

/** Messages to and from a worker that only runs the engine. `failed` means that the worker can't be used. */
export type Job =
  { type: 'start'; folder: string } | { type: 'ask'; id: string; job: string } | { type: 'cancel'; id: string };
export type Answer = { id: string; text: string } | { failed: string };
