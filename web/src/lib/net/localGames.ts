/** Games of this browser beside those of a server: which ones need no server, and all of them as one list. */

import type { NewGame, Summary } from './types';

/** Whether a new game can be played in this browser alone. */
export function needsNoServer(order: unknown): boolean {
  const { seats, clock } = order as NewGame;
  return clock?.kind !== 'correspondence' && seats.every(({ kind }) => kind === 'device' || kind === 'computer');
}

interface GameList {
  games: Summary[];
  next: string | null;
}

/** The server's games with those of this browser, the latest first; only the browser's if the server can't be reached. */
export async function mergedGames(
  server: Promise<Response>,
  local: Promise<Response> | null,
  askLocal: () => Promise<Response>,
): Promise<Response> {
  let theirs: Response;
  try {
    theirs = await server;
  } catch {
    return local ?? askLocal();
  }
  if (!theirs.ok || !local) return theirs;
  const [list, own] = (await Promise.all([theirs, local].map(async (one) => (await one).json()))) as [
    GameList,
    GameList,
  ];
  const games = [...list.games, ...own.games].sort((a, b) => b.updated.localeCompare(a.updated));
  return Response.json({ games, next: list.next });
}
