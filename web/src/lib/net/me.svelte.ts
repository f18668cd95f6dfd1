/** Who this browser is to the server: asked once, asked again when it changes. */

import { account } from './account';
import type { Me } from './types';

export const me = $state<{ who: Me | null }>({ who: null });

export async function askWho(): Promise<Me> {
  me.who = await account.me();
  return me.who;
}

/** What this browser keeps for its seats; whoever signs out leaves nothing of it behind. */
export function forgetSeats(): void {
  try {
    for (const key of Object.keys(localStorage))
      if (/^terrarium\.(seats|draft|sending)\./.test(key)) localStorage.removeItem(key);
  } catch {
    // Closed storage keeps nothing.
  }
}
