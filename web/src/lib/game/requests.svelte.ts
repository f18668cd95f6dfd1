/** A player's requests other than turns, and the last refusal. */

import { api, Refused } from '../net/client';
import { router } from '../router.svelte';
import { settings } from '../settings.svelte';
import { keepSecrets } from './secrets';
import type { Session } from './session.svelte';

/** How long a refusal stays on the screen if nothing else happens. */
const NOTICE_STAYS = 10_000;

export class Requests {
  notice = $state.raw<Refused | null>(null);
  /** The turn that a hint proposed. */
  best = $state.raw<string[]>([]);

  private fading: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly session: Session) {}

  private async attempt(job: (id: string) => Promise<unknown>): Promise<void> {
    this.clear();
    try {
      await job(this.session.id);
      await this.session.refresh();
    } catch (error) {
      this.notice = error instanceof Refused ? error : new Refused('unknown', String(error), 0);
      this.fading = setTimeout(() => this.clear(), NOTICE_STAYS);
    }
  }

  /** Removes the notice, because something else has happened. */
  clear(): void {
    clearTimeout(this.fading);
    this.notice = null;
  }

  /** The seat that requests are sent for: the seat to move if it is the reader's, else the reader's first seat. */
  private get speaker(): number {
    const { snapshot } = this.session;
    const to = snapshot?.view.to_move ?? null;
    return to !== null && snapshot?.you.includes(to) ? to : (snapshot?.you[0] ?? 0);
  }

  readonly resign = () => this.attempt((id) => api.resign(id, this.speaker));
  readonly abort = () => this.attempt((id) => api.abort(id));
  readonly claim = (seat: number) => this.attempt((id) => api.claim(id, seat));
  readonly answer = (kind: string, seat: number, accept: boolean) =>
    this.attempt((id) => api.answer(id, kind, seat, accept));
  readonly sit = (seat: number) =>
    this.attempt(async (id) => {
      await api.sit(id, seat, settings.name ? { name: settings.name } : {});
      await this.session.renew();
    });

  readonly offer = (kind: 'takeback' | 'draw' | 'end') => {
    const { turns, snapshot } = this.session;
    const last = turns.findLast((turn) => snapshot?.you.includes(turn.seat))?.seat;
    return this.attempt((id) => api.offer(id, kind, kind === 'takeback' ? (last ?? this.speaker) : this.speaker));
  };

  readonly hint = () =>
    this.attempt(async (id) => {
      this.best = (await api.hint(id, this.speaker, this.session.snapshot?.position)).turn;
    });

  /** Copies a game of this browser to the server, where others can join it with seat links. */
  readonly continueOnline = () =>
    this.attempt(async (id) => {
      const made = await api.continueOnline(id);
      keepSecrets(made.id, made.secrets);
      router.go(`/g/${made.id}`);
    });

  readonly rematch = (harder = false) =>
    this.attempt(async (id) => {
      const made = await api.rematch(id, harder);
      if (made.secrets) keepSecrets(made.id, made.secrets);
      router.go(`/g/${made.id}`);
    });
}
