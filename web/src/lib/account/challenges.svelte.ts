/** The challenges to and from this account; requested while somebody is signed in. */

import { challenges, type Challenge } from '../net/challenges';

class Known {
  all = $state.raw<Challenge[]>([]);

  readonly received = $derived(this.all.filter((one) => !one.is_yours && one.status === 'open'));
  readonly sent = $derived(this.all.filter((one) => one.is_yours && one.status === 'open'));

  async ask(): Promise<void> {
    this.all = await challenges.list();
  }

  async answer(one: Challenge, how: 'accept' | 'decline' | 'withdraw'): Promise<Challenge> {
    try {
      return await challenges.answer(one.id, how);
    } finally {
      await this.ask();
    }
  }
}

export const known = new Known();
