import { computerSeat, factsOf, hasComputer, usualStart } from '../../games/index.svelte';
import { api } from '../net/client';
import { isLocal } from '../net/edition';
import type { GameName, NewGame } from '../net/types';
import { router } from '../router.svelte';
import { settings } from '../settings.svelte';
import { keepSecrets } from './secrets';

/** Creates a game and opens its table. */
export async function start(game: NewGame): Promise<void> {
  const made = await api.create(game);
  // Ask the browser to keep this page's data; the game starts in either case.
  if (isLocal(made.id)) void navigator.storage?.persist?.().catch(() => undefined);
  const handed = made.secrets.map((secret, seat) =>
    game.seats[seat]?.kind === 'link' || game.seats[seat]?.kind === 'open' || game.seats[seat]?.kind === 'device'
      ? secret
      : null,
  );
  keepSecrets(made.id, handed);
  router.go(`/g/${made.id}`);
}

/** A game against the computer at the level from the settings. */
export function firstGame(game: GameName): NewGame {
  return {
    ...usualStart(game),
    seats: [
      { kind: 'device', ...(settings.name ? { name: settings.name } : {}) },
      hasComputer(game) ? computerSeat(game) : { kind: 'device' },
    ],
    clock: null,
    starter: factsOf(game)?.starter({}) ?? 'first',
    visibility: 'private',
  };
}

/** The same, but shorter: on a small board, or with few rounds. */
export const shortGame = (game: GameName): NewGame => ({ ...firstGame(game), ...factsOf(game)?.short });
