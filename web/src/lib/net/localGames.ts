/** Games and studies of this browser beside those of a server: which need no server, and all of them as one list. */

import type { Explored, ExploredTurn } from './openings';
import type { NewGame, Schemas, Summary } from './types';

type StudySummary = Schemas['StudySummary'];

/** Whether a new game can be played in this browser alone. */
export function needsNoServer(order: unknown): boolean {
  const { seats, clock } = order as NewGame;
  return clock?.kind !== 'correspondence' && seats.every(({ kind }) => kind === 'device' || kind === 'computer');
}

interface GameList {
  games: Summary[];
  next: string | null;
}
interface StudyList {
  studies: StudySummary[];
}

const latestFirst = (a: { updated: string }, b: { updated: string }): number => b.updated.localeCompare(a.updated);

/** The server's list joined with that of this browser; only the browser's if the server can't be reached. */
async function merged<List>(
  server: Promise<Response>,
  local: Promise<Response> | null,
  askLocal: () => Promise<Response>,
  join: (theirs: List, own: List) => List,
): Promise<Response> {
  let theirs: Response;
  try {
    theirs = await server;
  } catch {
    return local ?? askLocal();
  }
  if (!theirs.ok || !local) return theirs;
  const [list, own] = (await Promise.all([theirs, local].map(async (one) => (await one).json()))) as [List, List];
  return Response.json(join(list, own));
}

type Lists = [server: Promise<Response>, local: Promise<Response> | null, askLocal: () => Promise<Response>];

/** The server's games with those of this browser, the latest first. */
export const mergedGames = (...lists: Lists): Promise<Response> =>
  merged<GameList>(...lists, (theirs, own) => ({
    games: [...theirs.games, ...own.games].sort(latestFirst),
    next: theirs.next,
  }));

/** The same for studies. */
export const mergedStudies = (...lists: Lists): Promise<Response> =>
  merged<StudyList>(...lists, (theirs, own) => ({ studies: [...theirs.studies, ...own.studies].sort(latestFirst) }));

/** What was played in own games on the server and in this browser; only the browser's if the server can't be reached. */
export async function mergedOpenings(server: Promise<Response>, local: Promise<Response>): Promise<Response> {
  let theirs: Response;
  try {
    theirs = await server;
  } catch {
    return local;
  }
  const own = await local;
  if (!theirs.ok || !own.ok) return theirs;
  return Response.json(together((await theirs.json()) as Explored, (await own.json()) as Explored));
}

/** What both found, as one: a turn that both know is counted once for each. */
function together(one: Explored, other: Explored): Explored {
  const turns = new Map<string, ExploredTurn>();
  for (const turn of [...one.turns, ...other.turns]) {
    const key = turn.actions.join(' ');
    const known = turns.get(key);
    turns.set(
      key,
      known
        ? {
            ...turn,
            games: known.games + turn.games,
            wins: known.wins.map((won, seat) => won + (turn.wins[seat] ?? 0)),
          }
        : turn,
    );
  }
  return {
    source: one.source,
    games: one.games + other.games,
    turns: [...turns.values()].sort((a, b) => b.games - a.games),
    is_capped: one.is_capped || other.is_capped,
  };
}
