/** One game as this browser sees it: the server's truth, the turn being built, and what waits to be sent. */

import { loadPage, pageOf } from '../../games/index.svelte';
import { api, Refused } from '../net/client';
import { Live, type LinkState, type LiveMessage } from '../net/live';
import type { GameEvent, Snapshot, Turn, View } from '../net/types';
import { pace } from '../settings.svelte';
import { Builder } from './builder.svelte';
import { parts } from './notation';
import { keep, keepSoon, kept } from './storage';

interface Waiting {
  seq: number;
  actions: string[];
  key: string;
}

const draftKey = (id: string) => `terrarium.draft.${id}`;
const waitingKey = (id: string) => `terrarium.sending.${id}`;

export class Session {
  snapshot = $state.raw<Snapshot | null>(null);
  link = $state<LinkState>('connecting');
  problem = $state.raw<Refused | null>(null);
  sending = $state(false);
  /** The turn that is looked at; null follows the game. */
  at = $state<number | null>(null);
  past = $state.raw<Record<number, View>>({});
  events = $state.raw<{ id: number; events: GameEvent[]; seat: number | null }>({ id: 0, events: [], seat: null });
  /** The clock's reading came at this moment of this machine. */
  clockAt = $state(Date.now());
  /** Somebody else's turn while it is shown action by action: the view, and the actions done so far. */
  frame = $state.raw<{ view: View; actions: string[] } | null>(null);
  readonly builder: Builder;
  private live: Live | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private closed = false;
  private film = 0;

  constructor(readonly id: string) {
    this.builder = new Builder((actions) => api.try(id, this.snapshot?.seq ?? 0, actions));
    this.builder.onapplied = (events) => this.tell(events, this.snapshot?.view.to_move ?? null);
    this.builder.onchange = () => this.keepDraft();
  }

  readonly mine = $derived(
    this.snapshot !== null &&
      this.snapshot.status === 'playing' &&
      this.snapshot.view.to_move !== null &&
      this.snapshot.you.includes(this.snapshot.view.to_move),
  );
  /** A finished turn that the server has not confirmed. */
  get hasUnsent(): boolean {
    return this.problem?.code === 'offline' && kept(waitingKey(this.id)) !== null;
  }

  readonly isLive = $derived(this.at === null);
  readonly turns = $derived<Turn[]>(this.snapshot?.turns ?? []);
  readonly view = $derived.by<View | null>(() => {
    if (this.at !== null) return this.past[this.at] ?? this.snapshot?.view ?? null;
    if (this.frame) return this.frame.view;
    return (this.mine ? this.builder.view : null) ?? this.snapshot?.view ?? null;
  });

  async open(seat?: { number: number; secret?: string }): Promise<void> {
    try {
      if (seat) await api.sit(this.id, seat.number, seat.secret ? { secret: seat.secret } : {});
      const snapshot = await api.game(this.id);
      await loadPage(snapshot.game);
      this.take(snapshot);
      await this.sitDown();
    } catch (error) {
      this.problem = error instanceof Refused ? error : new Refused('unknown', String(error), 0);
      if (this.problem.code === 'offline' && !this.closed) this.retry = setTimeout(() => void this.open(seat), 2000);
      return;
    }
    this.problem = null;
    if (this.closed || this.live) return;
    this.live = new Live(
      this.id,
      () => this.snapshot?.seq ?? null,
      (message) => this.hear(message),
      (state) => {
        this.link = state;
        if (state === 'open') void this.flush();
      },
    );
    await this.flush();
  }

  /** A seat that is held (a rematch keeps everybody's) but not taken yet is taken by being here. */
  private async sitDown(): Promise<void> {
    const { snapshot } = this;
    if (snapshot?.status !== 'waiting') return;
    for (const seat of snapshot.seats)
      if (!seat.is_taken && snapshot.you.includes(seat.seat)) this.take((await api.sit(this.id, seat.seat, {})).game);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.retry);
    this.live?.close();
  }

  async refresh(): Promise<void> {
    this.take(await api.game(this.id));
  }

  private take(snapshot: Snapshot): void {
    const before = this.snapshot;
    if (before && snapshot.seq < before.seq) return;
    this.snapshot = snapshot;
    this.clockAt = Date.now();
    if (before?.seq === snapshot.seq && before.position === snapshot.position && before.you.length === snapshot.you.length) return;
    this.restart();
  }

  private restart(): void {
    const snapshot = this.snapshot;
    if (!snapshot) return;
    this.past = { ...this.past, [snapshot.turns.length]: snapshot.view };
    this.builder.begin(snapshot);
    const draft = kept<{ seq: number; actions: string[] }>(draftKey(this.id));
    if (draft && draft.seq === snapshot.seq && this.mine) void this.builder.restore(draft.actions).catch(() => undefined);
    else keepSoon(draftKey(this.id), null);
  }

  private keepDraft(): void {
    const { actions } = this.builder;
    keepSoon(draftKey(this.id), actions.length ? { seq: this.snapshot?.seq, actions } : null);
  }

  private tell(events: GameEvent[], seat: number | null): void {
    if (events.length) this.events = { id: this.events.id + 1, events, seat };
  }

  /** Shows another player's turn as it happened: each action a moment, then the whole result. */
  private async show(before: View, turn: Turn): Promise<void> {
    const film = ++this.film;
    const moment = Math.min(pace(380), pace(1600) / Math.max(1, turn.actions.length));
    if (moment && document.visibilityState === 'visible' && turn.actions.length > 1) {
      let view = before;
      const done: string[] = [];
      for (const text of turn.actions) {
        view = pageOf(before.game)?.shown(view, parts(text)) ?? view;
        done.push(text);
        this.frame = { view, actions: [...done] };
        await new Promise((next) => setTimeout(next, moment));
        if (film !== this.film || this.closed) return;
      }
    }
    this.frame = null;
    this.tell(turn.events, turn.seat);
  }

  /** Ends the showing: an impatient player wants to go on. */
  skip(): void {
    if (!this.frame) return;
    this.film++;
    this.frame = null;
    const turn = this.turns.at(-1);
    if (turn) this.tell(turn.events, turn.seat);
  }

  private hear(message: LiveMessage): void {
    const snapshot = this.snapshot;
    if (message.type === 'pong') return;
    if (message.type === 'error') {
      void this.refresh().catch(() => undefined);
      return;
    }
    if (message.type === 'snapshot' || message.type === 'takeback' || !snapshot) {
      const whole = (message['snapshot'] ?? message) as unknown as Snapshot;
      if (whole.view && whole.turns) {
        if (message.type === 'takeback') this.past = {};
        this.film++;
        this.frame = null;
        this.take({ ...whole, you: whole.you ?? snapshot?.you ?? [] });
      } else void this.refresh().catch(() => undefined);
      return;
    }
    if (message.type === 'turn') {
      const turn = message['turn'] as Turn;
      const seq = message.seq ?? snapshot.seq;
      if (seq <= snapshot.seq) return;
      if (turn.number !== snapshot.turns.length + 1) {
        void this.refresh().catch(() => undefined);
        return;
      }
      const wasMine = this.builder.actions.length > 0 && snapshot.you.includes(turn.seat);
      const { view, legal, position, clock, offers, outcome, status, reach } = message as unknown as Partial<Snapshot>;
      this.snapshot = {
        ...snapshot,
        seq,
        turn: turn.number,
        turns: [...snapshot.turns, turn],
        view: view ?? snapshot.view,
        legal: legal ?? [],
        reach: reach ?? {},
        position: position ?? snapshot.position,
        clock: clock === undefined ? snapshot.clock : clock,
        offers: offers ?? [],
        outcome: outcome ?? view?.outcome ?? null,
        status: status ?? ((outcome ?? view?.outcome) ? 'over' : snapshot.status),
      };
      this.clockAt = Date.now();
      this.restart();
      if (!wasMine) void this.show(snapshot.view, turn);
      else this.tell(turn.events.filter((event) => ['game-ended', 'passed', 'turn-ended', 'last-round', 'towers-completed'].includes(event.kind)), turn.seat);
      return;
    }
    if (message.type === 'presence' || message.type === 'ready') {
      const connected = (message['connected'] as number[] | undefined) ?? [];
      const you = (message['you'] as number[] | undefined) ?? snapshot.you;
      const seats = snapshot.seats.map((seat) => ({ ...seat, is_connected: connected.includes(seat.seat) }));
      this.snapshot = { ...snapshot, seats, you };
      if (you.length !== snapshot.you.length) void this.refresh().catch(() => undefined);
      return;
    }
    if (message.type === 'rematch') {
      this.snapshot = { ...snapshot, rematch: message['id'] as string };
      return;
    }
    void this.refresh().catch(() => undefined);
  }

  /** Sends the turn. Until the server has it, it stays in this browser's storage and is sent again. */
  async finish(): Promise<void> {
    const snapshot = this.snapshot;
    if (!snapshot || this.sending) return;
    const { builder } = this;
    if (!builder.isComplete && !builder.canEnd) return;
    const actions = builder.isComplete ? builder.actions : [...builder.actions, 'end'];
    keep(waitingKey(this.id), { seq: snapshot.seq, actions, key: crypto.randomUUID?.() ?? String(Math.random()) } satisfies Waiting);
    await this.flush();
  }

  private async flush(): Promise<void> {
    const waiting = kept<Waiting>(waitingKey(this.id));
    if (!waiting || this.sending) return;
    this.sending = true;
    this.problem = null;
    try {
      await api.submit(this.id, waiting.seq, waiting.actions, waiting.key);
      keep(waitingKey(this.id), null);
      keep(draftKey(this.id), null);
      if ((this.snapshot?.seq ?? 0) <= waiting.seq) await this.refreshAfter(waiting.seq);
    } catch (error) {
      const refused = error instanceof Refused ? error : new Refused('unknown', String(error), 0);
      if (refused.code === 'offline' || refused.status >= 500 || refused.status === 429) {
        // Nothing is lost: it goes out again as soon as there is somebody to take it.
        this.problem = refused.code === 'offline' ? refused : new Refused('offline', refused.message, refused.status);
        clearTimeout(this.retry);
        if (!this.closed) this.retry = setTimeout(() => void this.flush(), 2500);
      } else {
        keep(waitingKey(this.id), null);
        this.problem = refused;
        await this.refresh().catch(() => undefined);
      }
    } finally {
      this.sending = false;
    }
  }

  /** The live message usually comes first; if it does not, ask. */
  private async refreshAfter(seq: number): Promise<void> {
    await new Promise((done) => setTimeout(done, 150));
    if ((this.snapshot?.seq ?? 0) <= seq) await this.refresh().catch(() => undefined);
  }

  /** Goes to a turn (0: before the first); the last one follows the game again. */
  async look(turn: number | null): Promise<void> {
    const count = this.turns.length;
    if (turn === null || turn >= count) {
      this.at = null;
      return;
    }
    const wanted = Math.max(0, turn);
    if (!this.past[wanted]) await this.loadPast();
    this.at = wanted;
  }

  /** Every past view at once: a game's record, read back. */
  private async loadPast(): Promise<void> {
    const response = await fetch(`/api/games/${encodeURIComponent(this.id)}/record.terra`);
    if (!response.ok) return;
    const read = await api.readRecord(await response.text());
    const past = { ...this.past };
    for (const turn of read.turns) if (turn.view) past[turn.number] = turn.view;
    past[0] = read.start_view;
    this.past = past;
  }
}
