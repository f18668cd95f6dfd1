/** The games that the page has a folder for. The server decides which games can be played. */

import { has, t } from '../lib/i18n/index.svelte';
import { api } from '../lib/net/client';
import type { Character, GameMeta, GameName, NewGame, SeatChoice } from '../lib/net/types';
import { settings } from '../lib/settings.svelte';
import type { GameFacts, GamePage } from './types';

export type { GameBoardProps, GameFacts, GamePage, LookChoice } from './types';

const found = import.meta.glob<GameFacts>('./*/facts.ts', { eager: true, import: 'facts' });

/** The facts of every game that has a folder here. */
export const GAMES: readonly GameFacts[] = Object.values(found);

const byName = new Map(GAMES.map((facts) => [facts.name, facts]));

export const factsOf = (game: GameName): GameFacts | undefined => byName.get(game);

class State {
  pages = $state.raw<Readonly<Record<GameName, GamePage>>>({});
  /** The server's description of its games, once it has answered. */
  games = $state.raw<Readonly<Record<GameName, GameMeta>> | null>(null);
  defaultLevel = $state<number>();
}
const state = new State();
const loading = new Map<GameName, Promise<GamePage>>();

/** Loads the part of a game that draws its board. */
export function loadPage(game: GameName): Promise<GamePage> {
  let page = loading.get(game);
  if (!page) {
    page = (factsOf(game)?.page() ?? import('./generic/page').then((module) => module.page)).then(
      (loaded) => {
        state.pages = { ...state.pages, [game]: loaded };
        return loaded;
      },
      (error: unknown) => {
        loading.delete(game);
        throw error;
      },
    );
    loading.set(game, page);
  }
  return page;
}

/** The part of a game that draws its board; null while it is loading. */
export function pageOf(game: GameName): GamePage | null {
  const page = state.pages[game];
  if (!page) void loadPage(game).catch(() => undefined);
  return page ?? null;
}

/** Asks the server which games it has. */
export async function loadGames(): Promise<void> {
  const meta = await api.meta();
  state.games = meta.games;
  state.defaultLevel = meta.default_level;
}

/** The games to choose from: the server's games or, until it has answered, those with a folder here. */
export const gameNames = (): GameName[] => (state.games ? Object.keys(state.games) : GAMES.map((facts) => facts.name));

/** Whether a game has computer players; true until the server has answered. */
export const hasComputer = (game: GameName): boolean => state.games?.[game]?.levels?.length !== 0;

/** The computer players of a game; empty until the server has answered. */
export const charactersOf = (game: GameName): readonly Character[] => state.games?.[game]?.characters ?? [];

/** The level chosen in the settings or else the server's default, at most the game's highest; undefined until the server has answered if none is chosen. */
export function levelOf(game: GameName): number | undefined {
  const level = settings.level ?? state.defaultLevel;
  const highest = state.games?.[game]?.levels?.at(-1);
  return level !== undefined && highest !== undefined ? Math.min(level, highest) : level;
}

/** A computer player at that level. The server uses its default if no level is sent. */
export function computerSeat(game: GameName): SeatChoice {
  const level = levelOf(game);
  return { kind: 'computer', ...(level === undefined ? {} : { level }) };
}

/** A game's title in the reader's language, or else the title that the server sends. */
export function gameTitle(game: GameName): string {
  if (has(`common.game.${game}`)) return t(`common.game.${game}`);
  if (!state.games) void loadGames().catch(() => undefined);
  return state.games?.[game]?.title ?? game;
}

/** The game named in an address, or else the first game. */
export function wantedGame(name: string | null): GameName {
  const names = gameNames();
  return name !== null && (names.includes(name) || /^\w+$/.test(name)) ? name : (names[0] ?? '');
}

/** A new game for two players with the default rules and board. */
export function usualStart(game: GameName): Pick<NewGame, 'game' | 'rules' | 'board'> {
  const board = factsOf(game)?.board;
  return { game, rules: { players: 2 }, ...(board ? { board } : {}) };
}
