/** Merges lists of the server with those of this browser, and decides which games need no server. */

import type { Insights } from './insights';
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

/** The server's answer merged with that of this browser; only the browser's if the server can't be reached. */
async function merged<T>(
  server: Promise<Response>,
  local: Promise<Response> | null,
  askLocal: () => Promise<Response>,
  join: (theirs: T, own: T) => T,
): Promise<Response> {
  // If the tab failed, use only the server's answer.
  const answer = local?.catch(() => null);
  let theirs: Response;
  try {
    theirs = await server;
  } catch {
    return (await answer) ?? askLocal();
  }
  const own = await answer;
  if (!theirs.ok || !own?.ok) return theirs;
  return Response.json(join((await theirs.json()) as T, (await own.json()) as T));
}

type Answers = [server: Promise<Response>, local: Promise<Response> | null, askLocal: () => Promise<Response>];

/** The server's games with those of this browser, the latest first. */
export const mergedGames = (...answers: Answers): Promise<Response> =>
  merged<GameList>(...answers, (theirs, own) => ({
    games: [...theirs.games, ...own.games].sort(latestFirst),
    next: theirs.next,
  }));

/** The same for studies. */
export const mergedStudies = (...answers: Answers): Promise<Response> =>
  merged<StudyList>(...answers, (theirs, own) => ({ studies: [...theirs.studies, ...own.studies].sort(latestFirst) }));

/** The turns played in the reader's games on the server and in this browser. */
export const mergedOpenings = (...answers: Answers): Promise<Response> => merged(...answers, together);

/** Statistics of the reader's games on the server and in this browser. */
export const mergedInsights = (...answers: Answers): Promise<Response> => merged(...answers, addedInsights);

/** Merges two answers: the counts of a turn that is in both are added. */
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

/** Merges rows: the numbers of rows with the same texts are added. */
function added<T extends object>(rows: readonly T[]): T[] {
  const sums = new Map<string, Record<string, string | number>>();
  for (const row of rows as readonly Record<string, string | number>[]) {
    const key = Object.values(row)
      .filter((value) => typeof value === 'string')
      .join(' ');
    const known = sums.get(key);
    const sum = Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'number' ? value + Number(known?.[name] ?? 0) : value,
    ]);
    sums.set(key, Object.fromEntries(sum) as Record<string, string | number>);
  }
  return [...sums.values()] as T[];
}

export const addedInsights = (one: Insights, other: Insights): Insights => ({
  games: one.games + other.games,
  groups: added([...one.groups, ...other.groups]),
  achieved: added([...one.achieved, ...other.achieved]),
  reviewed_games: one.reviewed_games + other.reviewed_games,
  reviewed_turns: one.reviewed_turns + other.reviewed_turns,
  faults: added([...one.faults, ...other.faults]),
  is_capped: one.is_capped || other.is_capped,
});
