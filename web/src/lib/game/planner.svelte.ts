/** Plans: turns chosen on the board while others are to move. The server keeps and plays them. */

import { t } from '../i18n/index.svelte';
import { Refused } from '../net/client';
import { social, type PlanView, type TurnAhead } from '../net/social';
import type { View } from '../net/types';
import { Builder } from './builder.svelte';
import type { Session } from './session.svelte';

const refusal = (error: unknown) => (error instanceof Refused ? error : new Refused('unknown', String(error), 0));

/** A turn of a line in notation; null means any turn. */
export const inWords = (turn: TurnAhead): string => turn?.join(' ') ?? t('plans.anything');

export class Planner {
  plans = $state.raw<PlanView[]>([]);
  /** The line so far; null while nothing is planned. */
  line = $state.raw<TurnAhead[] | null>(null);
  /** Whether the board shows an example of what the others may play. */
  isExample = $state(false);
  problem = $state.raw<Refused | null>(null);
  readonly builder: Builder;
  private seq = 0;
  private asked = 0;

  constructor(private readonly session: Session) {
    this.builder = new Builder((actions) => this.attempt(actions));
  }

  /** The reader's seat; null if the reader has none or several, because then nothing can be planned. */
  readonly seat = $derived.by<number | null>(() => {
    const { snapshot } = this.session;
    return snapshot && snapshot.you.length === 1 ? (snapshot.you[0] ?? null) : null;
  });
  readonly canPlan = $derived.by(
    () =>
      this.seat !== null && this.session.snapshot?.status === 'playing' && !this.session.mine && this.session.isLive,
  );
  readonly isOn = $derived(this.line !== null && this.canPlan);
  readonly view = $derived.by<View | null>(() => (this.isOn ? this.builder.view : null));
  /** Whether the turn being chosen is the reader's own. */
  readonly isOwn = $derived.by(() => this.builder.base?.view.to_move === this.seat);

  private attempt(actions: string[]) {
    return social.tryAhead(this.session.id, this.seat ?? 0, this.seq, this.line ?? [], actions);
  }

  async load(): Promise<void> {
    const { seat } = this;
    if (seat === null) return;
    const ask = ++this.asked;
    try {
      const { plans } = await social.plans(this.session.id, seat);
      if (ask === this.asked) this.plans = plans;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }

  /** Starts a line: with any turn of the others, or with one to choose. */
  start(isAnything: boolean): Promise<void> {
    this.seq = this.session.snapshot?.seq ?? 0;
    return this.go(isAnything ? [null] : []);
  }

  stop(): void {
    this.line = null;
    this.problem = null;
    this.builder.begin(null);
  }

  /** Adds the turn on the board to the line, and continues with the next turn. */
  async next(): Promise<void> {
    const turn = this.chosen();
    if (turn) await this.go([...(this.line ?? []), turn]);
  }

  /** Adds the turn on the board as the last one, and saves the plan on the server. */
  async save(): Promise<void> {
    const { seat } = this;
    const turn = this.chosen();
    if (!turn || seat === null) return;
    this.problem = null;
    try {
      const { plans } = await social.plan(this.session.id, seat, this.seq, [...(this.line ?? []), turn]);
      this.asked++;
      this.plans = plans;
      this.stop();
    } catch (error) {
      this.problem = refusal(error);
    }
  }

  async forget(plan: string): Promise<void> {
    try {
      const { plans } = await social.forget(this.session.id, this.seat ?? 0, plan);
      this.asked++;
      this.plans = plans;
    } catch (error) {
      this.problem = refusal(error);
      await this.load();
    }
  }

  private chosen(): string[] | null {
    const { builder } = this;
    if (builder.isComplete) return builder.actions;
    return builder.canEnd ? [...builder.actions, 'end'] : null;
  }

  private async go(line: TurnAhead[]): Promise<void> {
    this.problem = null;
    const before = this.line;
    this.line = line;
    try {
      const found = await this.attempt([]);
      if (this.line !== line) return;
      this.isExample = found.is_example;
      this.builder.begin({ view: found.view, legal: found.legal, reach: found.reach });
    } catch (error) {
      if (this.line === line) this.line = before;
      this.problem = refusal(error);
    }
  }
}
