/** A coach in games against the computer: asks before a blunder is sent. */

import { speak, t } from '../i18n/index.svelte';
import { api } from '../net/client';
import type { Snapshot, Verdict } from '../net/types';
import { settings } from '../settings.svelte';
import { announce } from '../ui/announcer.svelte';
import type { Session } from './session.svelte';

/** Whether all others in a game are computers. */
export const isAgainstComputers = ({ seats, you }: Pick<Snapshot, 'seats' | 'you'>): boolean =>
  you.length === 1 && seats.every((seat) => seat.kind === 'computer' || you.includes(seat.seat));

export class Coach {
  /** Whether the coach is looking at a turn. */
  isThinking = $state(false);
  /** What the coach says about the turn that is about to be sent. */
  verdict = $state.raw<Verdict | null>(null);
  private asked = 0;

  constructor(private readonly session: Session) {}

  /** Whether the coach is wanted and allowed here. */
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
      // Without a coach the turn is sent as the player wants it.
    } finally {
      if (number === this.asked) this.isThinking = false;
    }
    // The turn was changed meanwhile: the player will send another one.
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

  /** Takes the question back: the turn stays on the board. */
  readonly think = (): void => {
    this.verdict = null;
  };

  /** Forgets what was asked: the turn has changed. */
  forget(): void {
    this.asked++;
    this.isThinking = false;
    this.verdict = null;
  }
}
