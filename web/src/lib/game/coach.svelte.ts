/** The coach in games against the computer, who asks before a blunder is sent. */

import { speak, t } from '../i18n/index.svelte';
import { api } from '../net/client';
import type { Snapshot, Verdict } from '../net/types';
import { settings } from '../settings.svelte';
import { announce } from '../ui/announcer.svelte';
import type { Session } from './session.svelte';

/** Whether the reader has one seat and all others are computers. */
export const isAgainstComputers = ({ seats, you }: Pick<Snapshot, 'seats' | 'you'>): boolean =>
  you.length === 1 && seats.every((seat) => seat.kind === 'computer' || you.includes(seat.seat));

export class Coach {
  /** Whether the coach is looking at a turn. */
  isThinking = $state(false);
  /** The coach's verdict on the turn about to be sent; null if there is no question. */
  verdict = $state.raw<Verdict | null>(null);
  private asked = 0;

  constructor(private readonly session: Session) {}

  /** Whether the coach is switched on and allowed in this game. */
  get isOn(): boolean {
    const { snapshot } = this.session;
    return settings.coach && snapshot !== null && isAgainstComputers(snapshot);
  }

  /** Sends the turn, unless it is a blunder: then the player decides. */
  async finish(): Promise<void> {
    const { snapshot, builder } = this.session;
    if (this.isThinking || this.verdict || this.session.sending) return;
    if (!this.isOn || !snapshot || (!builder.isComplete && !builder.canEnd)) return this.session.finish();
    const actions = builder.isComplete ? builder.actions : [...builder.actions, 'end'];
    const { seq } = snapshot;
    const number = ++this.asked;
    try {
      await speak('coach', 'reason');
      this.isThinking = true;
      announce(t('coach.judging'));
      const found = await api.coach(this.session.id, snapshot.you[0] ?? 0, seq, actions);
      if (number !== this.asked || this.session.snapshot?.seq !== seq) return;
      if (found.label === 'blunder') {
        this.verdict = found;
        return;
      }
    } catch {
      // The coach failed: send the turn without advice.
    } finally {
      if (number === this.asked) this.isThinking = false;
    }
    // If the turn was changed meanwhile, do not send it: the player will send another one.
    if (number === this.asked && this.isSame(actions)) await this.session.finish();
  }

  private isSame(actions: readonly string[]): boolean {
    const { builder } = this.session;
    const now = builder.isComplete ? builder.actions : [...builder.actions, 'end'];
    return now.join(' ') === actions.join(' ');
  }

  /** Sends the turn although the coach advises against it. */
  readonly send = (): Promise<void> => {
    this.verdict = null;
    return this.session.finish();
  };

  /** Closes the question. The turn stays on the board, not sent. */
  readonly think = (): void => {
    this.verdict = null;
  };

  /** Ignores the pending answer, because the turn has changed. */
  forget(): void {
    this.asked++;
    this.isThinking = false;
    this.verdict = null;
  }
}
