/** One puzzle being solved: the turn being built, tries and their answers, hints, and the line that is shown after them. */

import { loadPage, pageOf } from '../../games/index.svelte';
import { Builder } from '../game/builder.svelte';
import { Film } from '../game/film.svelte';
import { Flashes } from '../game/flashes.svelte';
import { unseated } from '../game/seats';
import { api, Refused } from '../net/client';
import { puzzles, type Answer, type PlayedTurn, type PuzzleHint, type PuzzleView } from '../net/puzzles';
import type { BoardView, GameName, Rules, View } from '../net/types';
import { sound } from '../sound';
import { attemptAt, dropHint, hintAt, own, storeAttempt, storeHint, syncProgress } from './progress.svelte';

type Mood = 'playing' | 'checking' | 'wrong' | 'right' | 'shown';

export class Solving {
  puzzle = $state.raw<PuzzleView | null>(null);
  board = $state.raw<BoardView | null>(null);
  rules = $state.raw<Rules>({});
  mood = $state<Mood>('playing');
  answer = $state.raw<Answer | null>(null);
  hint = $state.raw<PuzzleHint | null>(null);
  /** How much of the hint is shown: nothing, the theme, the cell too. */
  hinted = $state(0);
  problem = $state.raw<Refused | null>(null);
  /** The rating before the answer that is shown, if that one changed it. */
  before = $state<number | null>(null);
  readonly flashes = new Flashes();
  readonly film = new Film((turns) => turns.forEach((turn) => this.flashes.show(this.game, turn.events)));
  readonly builder = new Builder((actions) => api.tryPosition(this.puzzle?.position, actions));
  private readonly end = new AbortController();
  private isSettled = false;
  /** Whether a hint was shown, even before a reload. */
  private isHelped = false;

  readonly seats = $derived(unseated(this.puzzle?.players ?? 2));
  readonly seat = $derived(this.puzzle?.seat ?? 0);
  readonly isPlaying = $derived(this.mood === 'playing');
  readonly isOver = $derived(this.mood === 'right' || this.mood === 'shown');
  /** The turns to show: replies to a wrong try, or the solution. */
  readonly line = $derived.by<PlayedTurn[]>(() => {
    if (this.mood === 'wrong') return this.answer?.turns.slice(1) ?? [];
    return this.mood === 'shown' ? (this.answer?.turns.slice(0, 1) ?? []) : [];
  });
  readonly view = $derived<View | null>(this.film.view ?? this.line.at(-1)?.view ?? this.builder.view);
  /** The actions that the board marks while and after a line is played out. */
  readonly shownActions = $derived(this.film.view ? this.film.actions : (this.line.at(-1)?.actions ?? null));

  constructor(
    readonly game: GameName,
    readonly id: string,
    private readonly onanswer: () => void,
  ) {
    this.builder.onapplied = (events) => this.flashes.show(this.game, events);
  }

  async load(): Promise<void> {
    this.problem = null;
    try {
      const puzzle = await puzzles.one(this.game, this.id);
      const seen = hintAt(this.game, this.id);
      const [found, page, hint] = await Promise.all([
        api.tryPosition(puzzle.position, []),
        loadPage(this.game),
        seen ? puzzles.hint(this.game, this.id).catch(() => null) : null,
      ]);
      this.isHelped = seen > 0;
      this.hint = hint;
      this.hinted = hint ? seen : 0;
      this.board = found.board ? (page.taught?.(found.board) ?? found.board) : null;
      this.rules = found.rules ?? {};
      this.puzzle = puzzle;
      this.builder.begin(found);
      void syncProgress().catch(() => undefined);
    } catch (error) {
      this.fail(error);
    }
  }

  close(): void {
    this.end.abort();
    this.film.drop();
  }

  async check(): Promise<void> {
    if (!this.isPlaying) return;
    // Set this before the first await, so that a second key press sends nothing.
    this.mood = 'checking';
    if (!this.builder.isComplete && this.builder.canEnd) await this.builder.act(['end']);
    if (!this.builder.isComplete) {
      this.mood = 'playing';
      return;
    }
    const { actions } = this.builder;
    const answer = await this.ask(() => puzzles.try(this.game, this.id, actions, this.end.signal));
    if (!answer) return;
    this.answer = answer;
    this.mood = answer.is_right ? 'right' : 'wrong';
    this.settle(answer.is_right ? (this.isHelped ? 'helped' : 'solved') : 'missed');
    if (answer.is_right) sound('score');
    else this.show(this.builder.view);
    this.onanswer();
  }

  async giveUp(): Promise<void> {
    if (!this.isPlaying && this.mood !== 'wrong') return;
    this.again();
    const answer = await this.ask(() => puzzles.giveUp(this.game, this.id, this.end.signal));
    if (!answer) return;
    this.answer = answer;
    this.mood = 'shown';
    this.settle('missed');
    this.show(this.builder.base?.view ?? null);
    this.onanswer();
  }

  async help(): Promise<void> {
    try {
      this.hint ??= await puzzles.hint(this.game, this.id);
      this.hinted = Math.min(2, this.hinted + 1);
      this.isHelped = true;
      if (!this.isSettled) storeHint(this.game, this.id, this.hinted);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Back to the position of the puzzle. */
  again(): void {
    this.film.drop();
    this.before = null;
    this.answer = null;
    this.problem = null;
    this.mood = 'playing';
    this.builder.reset();
  }

  replay(): void {
    this.film.drop();
    this.show(this.mood === 'wrong' ? this.builder.view : (this.builder.base?.view ?? null));
  }

  private show(start: View | null): void {
    const page = pageOf(this.game);
    let before = start;
    for (const turn of this.line) {
      if (!before || !page) return;
      this.film.add({
        turn,
        now: before,
        views: { before, after: turn.view },
        shown: page.shown,
        isAgain: true,
      });
      before = turn.view;
    }
  }

  private async ask(question: () => Promise<Answer>): Promise<Answer | null> {
    this.mood = 'checking';
    this.problem = null;
    try {
      return await patiently(question);
    } catch (error) {
      this.mood = 'playing';
      if (!this.end.signal.aborted) this.fail(error);
      return null;
    }
  }

  /** Stores the result and fetches the new rating; only the first result can change it. */
  private settle(result: 'solved' | 'helped' | 'missed'): void {
    const isKnown = this.isSettled || attemptAt(this.game, this.id) !== undefined;
    const before = isKnown ? null : (own.progress?.games[this.game]?.rating ?? null);
    this.isSettled = true;
    storeAttempt(this.game, this.id, result);
    dropHint(this.game, this.id);
    syncProgress().then(
      () => (this.before = before),
      () => undefined,
    );
  }

  private fail(error: unknown): void {
    this.problem = error instanceof Refused ? error : new Refused('unknown', String(error), 0);
  }
}

const ATTEMPTS = 5;
const LONGEST_WAIT = 5;

/** Asks again after a moment while the engine is busy, for instance with a question from another tab. */
async function patiently<T>(question: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await question();
    } catch (error) {
      const seconds = error instanceof Refused ? Number(error.facts['retry_after'] ?? NaN) : NaN;
      if (!(seconds <= LONGEST_WAIT) || attempt === ATTEMPTS) throw error;
      await new Promise((done) => setTimeout(done, seconds * 1000));
    }
  }
}
