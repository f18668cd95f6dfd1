import { factsOf, hasComputer, usualStart } from '../../games/index.svelte';
import { api } from '../net/client';
import type { GameName, NewGame } from '../net/types';
import { router } from '../router.svelte';
import { settings } from '../settings.svelte';
import { keepSecrets } from './secrets';

/** Sets a table and goes there. */
export async function start(game: NewGame): Promise<void> {
  const made = await api.create(game);
  const handed = made.secrets.map((secret, seat) => (game.seats[seat]?.kind === 'link' || game.seats[seat]?.kind === 'open' || game.seats[seat]?.kind === 'device' ? secret : null));
  keepSecrets(made.id, handed);
  router.go(`/g/${made.id}`);
}

/** A first game that needs no decision: you against a friendly computer. */
export function firstGame(game: GameName): NewGame {
  return {
    ...usualStart(game),
    seats: [{ kind: 'device', ...(settings.name ? { name: settings.name } : {}) }, hasComputer(game) ? { kind: 'computer', level: 3 } : { kind: 'device' }],
    clock: null,
    starter: factsOf(game)?.starter({}) ?? 'first',
    visibility: 'private',
  };
}
