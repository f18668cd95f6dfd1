/** The person or account that this browser is signed in as; requested once, and again when it changes. */

import { account } from './account';
import type { Me } from './types';

export const me = $state<{ who: Me | null }>({ who: null });

export async function askWho(): Promise<Me> {
  me.who = await account.me();
  return me.who;
}

/** Deletes what this browser stores for its seats and its account. Called on signing out. */
export function forgetSeats(): void {
  try {
    for (const key of Object.keys(localStorage))
      if (/^terrarium\.((seats|draft|sending)\.|progress$)/.test(key)) localStorage.removeItem(key);
  } catch {
    // Storage is blocked, so nothing is stored.
  }
}
