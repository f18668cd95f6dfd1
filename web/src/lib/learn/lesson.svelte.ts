/** One step of a guided game: its position, the actions played in it, and whether they reached the goal. */

import { Builder } from '../game/builder.svelte';
import { unseated } from '../game/seats';
import { Flashes } from '../game/flashes.svelte';
import { eventTexts } from '../game/words';
import { api, Refused } from '../net/client';
import { tryFigure } from './figure';
import type { BoardView, GameName, TryResult } from '../net/types';
import { sound } from '../sound';
import { reached } from './goal';
import { doneSteps, keepDone } from './progress';
import type { Step } from './types';

const SEATS = unseated(4);

export class Lesson {
  done = $state.raw<string[]>([]);
  step = $state.raw<Step | null>(null);
  mood = $state<'playing' | 'done' | 'missed'>('playing');
  isReady = $state(false);
  /** The events of the last action, in words. */
  eventText = $state('');
  readonly flashes = new Flashes();
  problem = $state.raw<Refused | null>(null);
  board = $state.raw<BoardView | null>(null);
  /** Whether *Finish turn* was pressed. */
  private isFinished = false;
  private first = $state.raw<TryResult | null>(null);
  private kinds: Record<string, string> = {};

  readonly builder = new Builder((actions) => api.tryPosition(this.step?.position, actions));
  readonly view = $derived(this.builder.view ?? this.first?.view ?? null);
  readonly isPlaying = $derived(this.mood === 'playing' && this.isReady);

  constructor(
    private readonly game: GameName,
    private readonly onanswer: () => void,
  ) {
    this.done = doneSteps(game);
    this.builder.onapplied = (events) => {
      this.eventText = eventTexts(game, events, SEATS).join(' ');
      this.flashes.show(game, events);
    };
    this.builder.onchange = () => {
      if (!this.builder.actions.length) this.eventText = '';
    };
  }

  async open(step: Step): Promise<void> {
    this.step = step;
    this.mood = 'playing';
    this.isReady = false;
    this.isFinished = false;
    this.problem = null;
    this.kinds = {};
    this.eventText = '';
    try {
      const answer = await tryFigure(step.position);
      if (this.step !== step) return;
      this.first = answer;
      this.board = answer.board ?? null;
      this.builder.begin(answer);
      this.isReady = true;
    } catch (error) {
      this.fail(error);
    }
  }

  /** Remembers the kind of each legal action: the goal may need it after the action was played. */
  notice(): void {
    for (const action of this.builder.legal) this.kinds[action.text] = action.kind;
  }

  /** Compares the actions with the goal. */
  judge(last: TryResult, actions: string[]): void {
    if (this.mood !== 'playing' || !this.step || !this.isReady) return;
    if (this.step.finish && !(last.turn_complete && this.isFinished)) return;
    const seat = this.first?.view.to_move ?? 0;
    const progress = {
      actions,
      kinds: this.kinds,
      events: last.effects.flat(),
      isComplete: last.turn_complete,
      view: last.view,
      seat,
    };
    if (reached(this.step.goal, progress)) {
      this.mood = 'done';
      sound('score');
      this.done = keepDone(this.game, this.step.id);
      this.onanswer();
    } else if (last.turn_complete) {
      this.mood = 'missed';
      this.onanswer();
    }
  }

  /** Plays the solution, one action after the other. */
  async show(): Promise<void> {
    const { step } = this;
    if (!step) return;
    this.again();
    for (const action of step.solution) {
      if (this.step !== step || !(await this.builder.act([action]))) return;
      await new Promise((done) => setTimeout(done, 450));
    }
    if (step.finish) await this.finish();
  }

  again(): void {
    this.builder.reset();
    this.isFinished = false;
    this.mood = 'playing';
  }

  async finish(): Promise<void> {
    this.isFinished = true;
    if (this.builder.canEnd && !this.builder.isComplete) await this.builder.act(['end']);
    else if (this.builder.last) this.judge(this.builder.last, this.builder.actions);
  }

  fail(error: unknown): void {
    this.problem = error instanceof Refused ? error : new Refused('unknown', String(error), 0);
  }
}
