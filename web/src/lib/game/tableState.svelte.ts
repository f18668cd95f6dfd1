/** The state of one table on the screen: the turn on the board, who may act on it, and the panels beside it. */

import { movesIn } from '../board/pieces';
import { t } from '../i18n/index.svelte';
import type { Cell, GameEvent } from '../net/types';
import { settings } from '../settings.svelte';
import { arrowsOf } from './arrows';
import type { Builder } from './builder.svelte';
import { Coach } from './coach.svelte';
import { sentence } from './person';
import { Planner } from './planner.svelte';
import { Requests } from './requests.svelte';
import { Session } from './session.svelte';
import { Talk } from './talk.svelte';
import { EventEffects } from './eventEffects.svelte';
import { callNames, seatName } from './words';

export class TableState {
  readonly session: Session;
  readonly requests: Requests;
  readonly planner: Planner;
  readonly coach: Coach;
  readonly talk: Talk;
  readonly effects = new EventEffects();
  /** How many quarter turns the board is rotated by. */
  quarters = $state(0);
  /** Cells to highlight, because an entry beside the board points at them. */
  pointed = $state.raw<readonly Cell[]>([]);
  isEndingShown = $state(false);

  constructor(id: string) {
    this.session = new Session(id);
    this.requests = new Requests(this.session);
    this.planner = new Planner(this.session);
    this.coach = new Coach(this.session);
    this.talk = new Talk(id);
    this.session.onchanged = (what) => {
      if (!this.hasPeople) return;
      if (what === 'plans') void this.planner.load();
      else void this.talk.load();
    };
  }

  readonly isShowing = $derived.by(() => this.session.film.view !== null && this.session.isLive);
  /** Whether the reader can play on the board now. */
  readonly isMine = $derived.by(() => this.session.mine && this.session.isLive && !this.isShowing);
  readonly isYourTurn = $derived.by(() => this.session.mine && this.session.film.view === null);
  readonly isOver = $derived.by(() => {
    const status = this.session.snapshot?.status;
    return !this.isShowing && (status === 'over' || status === 'aborted');
  });
  /** The seat to move on the board. A draft does not change it. */
  readonly toMove = $derived.by(() => {
    const { session } = this;
    if (!session.isLive) return session.view?.to_move ?? null;
    return this.isShowing ? (session.film.turn?.seat ?? null) : (session.snapshot?.view.to_move ?? null);
  });
  /** The builder that clicks on the board go to: of the reader's turn, or of a plan. */
  readonly activeBuilder = $derived.by<Builder | null>(() => {
    if (this.planner.isOn) return this.planner.builder;
    return this.isMine ? this.session.builder : null;
  });
  /** The actions that the board marks: those of the turn being shown, of the draft, or of the last turn. */
  readonly shownActions = $derived.by<readonly string[]>(() => {
    const { session, planner } = this;
    if (this.isShowing) return session.film.actions;
    if (planner.isOn) return planner.builder.actions;
    if (session.inTurn) return session.inTurn.turn.actions;
    if (this.isMine && session.builder.actions.length) return session.builder.actions;
    return (session.at === null ? session.turns.at(-1) : session.turns[session.at - 1])?.actions ?? [];
  });
  readonly trail = $derived.by(() => arrowsOf(this.shownActions));
  readonly moves = $derived.by(() => movesIn(this.shownActions));

  /** Which turn is being shown, in words. Before the first action of a computer: that it thinks. */
  readonly showing = $derived.by<string | null>(() => {
    const { snapshot, film } = this.session;
    const { turn } = film;
    if (!this.isShowing || !snapshot || !turn) return null;
    const name = seatName(snapshot.seats, turn.seat);
    if (!turn.actions.length) return sentence('resigned', turn.seat, { nameOf: () => name, you: null });
    if (film.isAgain) return t('story.again.playing', { name, number: turn.number });
    if (!film.actions.length && snapshot.seats[turn.seat]?.kind === 'computer') return t('table.thinking', { name });
    return t('story.playing', { name, number: turn.number });
  });
  /** Whether another person plays, to talk to. */
  readonly hasPeople = $derived.by(() => {
    const { snapshot } = this.session;
    return (
      snapshot !== null &&
      snapshot.you.length > 0 &&
      snapshot.seats.some((seat) => seat.kind !== 'computer' && seat.is_taken && !snapshot.you.includes(seat.seat))
    );
  });
  /** Whether this is the reader's first game of this kind in this browser. */
  readonly isLearning = $derived.by(() => {
    const { snapshot } = this.session;
    return snapshot !== null && snapshot.you.length > 0 && !settings.taught.includes(snapshot.game);
  });
  /** Whether tips are shown. */
  readonly isTaught = $derived.by(
    () => this.isLearning && this.session.snapshot?.status === 'playing' && this.session.isLive,
  );
  readonly colours = $derived.by(() => this.session.snapshot?.seats.map((seat) => seat.colour) ?? []);
  readonly nameOf = $derived.by(() => {
    const { snapshot } = this.session;
    return callNames(snapshot?.seats ?? [], snapshot?.you ?? []);
  });

  /** The events of the turn on the board, if it is a draft or shown partly. */
  readonly draft = $derived.by<readonly GameEvent[]>(() => {
    const { inTurn, builder } = this.session;
    return inTurn?.events ?? (this.isMine ? (builder.last?.effects.flat() ?? []) : []);
  });
  /** All events up to the position on the board. */
  readonly history = (): GameEvent[] => {
    const { turns, shownTurn } = this.session;
    return [...turns.slice(0, shownTurn).flatMap((turn) => turn.events), ...this.draft];
  };

  readonly finish = (): Promise<void> => {
    const { planner } = this;
    if (!planner.isOn) return this.coach.finish();
    return planner.isOwn ? planner.save() : planner.next();
  };
  readonly rotate = (): void => {
    this.quarters = (this.quarters + 1) % 4;
  };
}
