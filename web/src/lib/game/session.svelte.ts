/** One game in this browser: the server's state, the turn being built, and a turn that is not sent yet. */

import { loadPage, pageOf } from '../../games/index.svelte';
import { api, Refused } from '../net/client';
import { newKey } from '../net/key';
import { Live, type LinkState } from '../net/live';
import { onRightsChange } from '../net/rights';
import { withAllTurns } from '../net/history';
import type { LiveMessage, Resignation, Snapshot, Turn, View } from '../net/types';
import { Builder } from './builder.svelte';
import { Film, type Scene, type Shown } from './film.svelte';
import { stepped, type Cursor } from './cursor';
import { PartialTurns } from './partial.svelte';
import { keep, keepSoon, kept } from './storage';

interface Waiting {
  seq: number;
  actions: string[];
  key: string;
}

const draftKey = (id: string) => `terrarium.draft.${id}`;
const waitingKey = (id: string) => `terrarium.sending.${id}`;

/** How long a refusal stays on the screen if nothing else happens. */
const PROBLEM_STAYS = 10_000;

const refusal = (error: unknown) => (error instanceof Refused ? error : new Refused('unknown', String(error), 0));
const ignore = () => undefined;
const isSame = (a: readonly number[], b: readonly number[]) => a.join() === b.join();

/** The fields that can't have changed while the position is the same. Reusing them avoids drawing them again. */
const stillTrue = ({ view, turns, resignations, legal, board, rules }: Snapshot) => ({
  view,
  turns,
  resignations,
  legal,
  board,
  rules,
});

/** The actions of a player and their events. */
export type TurnEvents = Pick<Turn, 'seat' | 'actions' | 'events'>;

export class Session {
  snapshot = $state.raw<Snapshot | null>(null);
  link = $state<LinkState>('connecting');
  problem = $state.raw<Refused | null>(null);
  sending = $state(false);
  /** The number of the past turn that is shown; null to follow the game. */
  at = $state<number | null>(null);
  /** How many actions of the next turn are shown too. */
  done = $state(0);
  past = $state.raw<Record<number, View>>({});
  private positions: Record<number, string> = {};
  private readonly partial = new PartialTurns();
  /** The latest turns, for text, sound and animation; `id` rises with each change. */
  happened = $state.raw<{ id: number; turns: readonly TurnEvents[] }>({ id: 0, turns: [] });
  /** When the clock in the snapshot was received, in local time. */
  clockAt = $state(Date.now());
  /** Called when data changed that only some seats may read, and after every new connection. */
  onchanged: ((what: 'talk' | 'plans') => void) | undefined;
  readonly builder: Builder;
  /** Shows turns of others one after the other. */
  readonly film = new Film((turns) => this.report(turns));
  private live: Live<LiveMessage> | undefined;
  /** The seats that the live connection holds; null until it has reported them. */
  private connectedAs: number[] | null = null;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private fading: ReturnType<typeof setTimeout> | undefined;
  private closed = false;
  private readonly forget: () => void;

  constructor(readonly id: string) {
    this.builder = new Builder((actions) => api.try(id, this.snapshot?.seq ?? 0, actions));
    this.builder.onapplied = (events) => this.report([{ seat: this.snapshot?.view.to_move ?? 0, actions: [], events }]);
    this.builder.onchange = () => {
      if (this.builder.actions.length && this.problem?.code !== 'offline') this.problem = null;
      this.keepDraft();
    };
    this.forget = onRightsChange(() => void this.renew().catch(ignore));
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
  /** The number of the turn on the board: a past one, the one being shown, or else the newest. */
  readonly shownTurn = $derived(this.at ?? this.film.turn?.number ?? this.turns.length);
  /** The turn that is shown partly: its first actions, and the position after them. */
  readonly inTurn = $derived.by(() => {
    const turn = this.at === null || !this.done ? undefined : this.turns[this.at];
    const before = this.at === null ? undefined : this.past[this.at];
    if (!turn || !before || this.at === null) return null;
    const actions = turn.actions.slice(0, this.done);
    return { turn: { ...turn, actions }, ...this.partial.at(this.positions[this.at], before, actions) };
  });
  readonly view = $derived.by<View | null>(() => {
    if (this.inTurn) return this.inTurn.view;
    if (this.at !== null) return this.past[this.at] ?? this.snapshot?.view ?? null;
    if (this.film.view) return this.film.view;
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
      this.problem = refusal(error);
      if (this.problem.code === 'offline' && !this.closed) this.retry = setTimeout(() => void this.open(seat), 2000);
      return;
    }
    this.problem = null;
    if (this.closed || this.live) return;
    this.live = new Live<LiveMessage>(
      `/games/${encodeURIComponent(this.id)}`,
      () => this.snapshot?.seq ?? null,
      (message) => this.receive(message),
      (state) => {
        this.link = state;
        if (state === 'open') void this.flush();
      },
    );
    await this.flush();
  }

  /** Takes the seats that are reserved for this browser, for instance after a rematch. */
  private async sitDown(): Promise<void> {
    const { snapshot } = this;
    if (snapshot?.status !== 'waiting') return;
    for (const seat of snapshot.seats)
      if (!seat.is_taken && snapshot.you.includes(seat.seat)) this.take((await api.sit(this.id, seat.seat, {})).game);
  }

  close(): void {
    this.closed = true;
    this.forget();
    this.film.skip();
    clearTimeout(this.retry);
    clearTimeout(this.fading);
    this.live?.close();
  }

  async refresh(): Promise<void> {
    this.take(await api.game(this.id));
  }

  /** Reconnects, because the rights of this browser changed: it sat down, signed in, or lost a seat. */
  async renew(): Promise<void> {
    this.connectedAs = null;
    this.live?.reconnect();
    await this.refresh();
    await this.sitDown();
  }

  private take(snapshot: Snapshot): void {
    if (this.closed) return;
    const before = this.snapshot;
    if (before && snapshot.seq < before.seq) return;
    if (snapshot.turns_omitted)
      return void withAllTurns(snapshot, this.turns)
        .then((whole) => this.take(whole))
        .catch(ignore);
    const isKnown =
      before?.seq === snapshot.seq && before.position === snapshot.position && isSame(before.you, snapshot.you);
    // Reuse unchanged parts, so that they are not drawn again.
    this.snapshot = isKnown ? { ...snapshot, ...stillTrue(before) } : snapshot;
    this.clockAt = Date.now();
    // The connection was opened with other rights and may receive fewer messages than this browser should.
    if (this.connectedAs && !isSame(this.connectedAs, snapshot.you)) {
      this.connectedAs = null;
      this.live?.reconnect();
    }
    if (isKnown) return;
    if (before && snapshot.turns.length < before.turns.length) this.rewind(snapshot.turns.length);
    else if (before && snapshot.turns.length > before.turns.length) this.catchUp(before);
    this.restart();
  }

  /** Forgets turns that were taken back. */
  private rewind(turns: number): void {
    this.past = Object.fromEntries(Object.entries(this.past).filter(([turn]) => Number(turn) < turns));
    this.positions = {};
    if (this.at !== null && this.at >= turns) this.follow();
    this.film.drop();
    this.happened = { id: this.happened.id, turns: [] };
  }

  /** Shows the turns that were missed, with the positions they led to. */
  private catchUp(before: Snapshot): void {
    const missed = this.turns.slice(before.turns.length);
    const loaded = missed.length > 1 ? this.loadPast().catch(ignore) : Promise.resolve();
    const viewAfter = (turn: number) => this.past[turn] ?? this.snapshot?.view ?? before.view;
    for (const turn of missed)
      this.show(
        turn,
        before.view,
        loaded.then(() => ({ before: viewAfter(turn.number - 1), after: viewAfter(turn.number) })),
      );
  }

  private restart(): void {
    const snapshot = this.snapshot;
    if (!snapshot) return;
    this.past = { ...this.past, [snapshot.turns.length]: snapshot.view };
    this.builder.begin(snapshot);
    // Try the position, not the game: then the answer is right even if the next turn is played meanwhile.
    if (this.mine) void this.builder.foresee(() => api.tryPosition(snapshot.position, []));
    const draft = kept<{ seq: number; actions: string[] }>(draftKey(this.id));
    if (draft && draft.seq === snapshot.seq && this.mine) void this.builder.restore(draft.actions).catch(ignore);
    else keepSoon(draftKey(this.id), null);
  }

  private keepDraft(): void {
    const { actions } = this.builder;
    keepSoon(draftKey(this.id), actions.length ? { seq: this.snapshot?.seq, actions } : null);
  }

  private report(turns: readonly TurnEvents[]): void {
    if (turns.some((turn) => turn.events.length)) this.happened = { id: this.happened.id + 1, turns };
  }

  /** The last turn that this browser sent. It is not shown again: its player saw it while building it. */
  private sent: string | null = null;

  private show(turn: Turn, now: View, views: Scene['views']): void {
    if (this.sent === turn.actions.join(' ') && this.snapshot?.you.includes(turn.seat)) {
      this.sent = null;
      this.report([{ ...turn, events: turn.events.filter((event) => ENDS.includes(event.kind)) }]);
      return;
    }
    this.film.add(this.scene(turn, now, views));
  }

  private scene(turn: Shown, now: View, views: Scene['views']): Scene {
    const page = pageOf(now.game);
    return { turn, now, views, shown: (view, action) => page?.shown(view, action) ?? view };
  }

  /** The turns of others since this player's last turn; for watchers, and if all seats are the reader's, the last turn. */
  readonly recent = $derived.by<Turn[]>(() => {
    const { turns, snapshot } = this;
    if (!snapshot) return [];
    const { you, seats } = snapshot;
    const isShared = you.length === 0 || you.length === seats.length;
    const own = isShared ? turns.length - 2 : turns.findLastIndex((turn) => you.includes(turn.seat));
    const since = turns.slice(Math.max(own + 1, turns.length - seats.length));
    return since.length ? since : turns.slice(-1);
  });

  /** Shows the recent turns again. */
  async showRecent(): Promise<void> {
    const { recent, snapshot } = this;
    if (!snapshot || !recent.length) return;
    this.film.skip();
    this.follow();
    if (recent.some((turn) => !this.past[turn.number - 1])) await this.loadPast().catch(ignore);
    for (const turn of recent) {
      const before = this.past[turn.number - 1];
      const after = this.past[turn.number];
      if (before && after && this.turns[turn.number - 1] === turn)
        this.film.add({ ...this.scene(turn, before, { before, after }), isAgain: true });
    }
  }

  /** Skips the rest of the turns being shown. */
  skip(): void {
    this.film.skip();
  }

  private receive(message: LiveMessage): void {
    if (this.closed) return;
    const snapshot = this.snapshot;
    switch (message.type) {
      case 'pong':
        return;
      case 'changed':
        this.onchanged?.(message.what);
        return;
      case 'snapshot':
        this.connectedAs = message.you;
        return this.take(message);
      case 'takeback':
        return this.take({ ...message, you: snapshot?.you ?? [] });
      case 'ready':
        this.connectedAs = message.you;
        this.onchanged?.('talk');
        this.onchanged?.('plans');
        break;
    }
    if (!snapshot) return void this.refresh().catch(ignore);
    switch (message.type) {
      case 'turn':
      case 'resigned': {
        if (message.seq <= snapshot.seq) return;
        const turn = message.type === 'turn' ? message.turn : null;
        const resignation: Resignation | null = message.type === 'resigned' ? message.resignation : null;
        if (message.turn_number !== snapshot.turns.length + (turn ? 1 : 0)) return void this.refresh().catch(ignore);
        this.snapshot = {
          ...snapshot,
          seq: message.seq,
          status: message.status,
          clock: message.clock,
          turn: message.turn_number,
          ahead: null,
          turns: turn ? [...snapshot.turns, turn] : snapshot.turns,
          resignations: resignation ? [...snapshot.resignations, resignation] : snapshot.resignations,
          view: message.view,
          legal: message.legal,
          position: message.position,
          seats: message.seats,
          offers: message.offers,
          outcome: message.view.outcome,
        };
        this.clockAt = Date.now();
        if (this.problem?.code !== 'offline') this.problem = null;
        this.restart();
        if (turn) this.show(turn, snapshot.view, { before: snapshot.view, after: message.view });
        else if (resignation)
          this.film.add(
            this.scene({ ...resignation, number: resignation.after, actions: [] }, snapshot.view, {
              before: snapshot.view,
              after: message.view,
            }),
          );
        // A message for watchers, although it is the reader's turn: the connection has the wrong rights.
        if (this.mine && !message.legal.length) void this.renew().catch(ignore);
        return;
      }
      case 'presence':
      case 'ready': {
        const seats = snapshot.seats.map((seat) => ({ ...seat, is_connected: message.connected.includes(seat.seat) }));
        this.snapshot = { ...snapshot, seats };
        if (message.type === 'ready' && !isSame(message.you, snapshot.you)) void this.refresh().catch(ignore);
        return;
      }
      case 'queue':
        this.snapshot = { ...snapshot, ahead: message.ahead || null };
        return;
      case 'rematch':
        this.snapshot = { ...snapshot, rematch: message.id };
        return;
      default:
        void this.refresh().catch(ignore);
    }
  }

  /** Sends the turn. It stays in this browser's storage and is sent again until the server confirms it. */
  async finish(): Promise<void> {
    const snapshot = this.snapshot;
    if (!snapshot || this.sending) return;
    const { builder } = this;
    if (!builder.isComplete && !builder.canEnd) return;
    const actions = builder.isComplete ? builder.actions : [...builder.actions, 'end'];
    keep(waitingKey(this.id), {
      seq: snapshot.seq,
      actions,
      key: newKey(),
    } satisfies Waiting);
    await this.flush();
  }

  private async flush(): Promise<void> {
    const waiting = kept<Waiting>(waitingKey(this.id));
    if (!waiting || this.sending) return;
    this.sending = true;
    this.problem = null;
    this.sent = waiting.actions.join(' ');
    try {
      await api.submit(this.id, waiting.seq, waiting.actions, waiting.key);
      keep(waitingKey(this.id), null);
      keep(draftKey(this.id), null);
      if ((this.snapshot?.seq ?? 0) <= waiting.seq) await this.refreshAfter(waiting.seq);
    } catch (error) {
      const refused = refusal(error);
      if (refused.code === 'offline' || refused.status >= 500 || refused.status === 429) {
        // The turn is still stored: send it again later.
        this.problem = refused.code === 'offline' ? refused : new Refused('offline', refused.message, refused.status);
        clearTimeout(this.retry);
        if (!this.closed) this.retry = setTimeout(() => void this.flush(), 2500);
      } else {
        keep(waitingKey(this.id), null);
        this.refuse(refused);
        await this.refresh().catch(ignore);
      }
    } finally {
      this.sending = false;
    }
  }

  /** Shows a refusal for a while. */
  private refuse(problem: Refused): void {
    this.problem = problem;
    clearTimeout(this.fading);
    this.fading = setTimeout(() => {
      if (this.problem === problem) this.problem = null;
    }, PROBLEM_STAYS);
  }

  /** Requests the game, unless a live message has arrived within a moment. */
  private async refreshAfter(seq: number): Promise<void> {
    await new Promise((done) => setTimeout(done, 150));
    if ((this.snapshot?.seq ?? 0) <= seq) await this.refresh().catch(ignore);
  }

  /** Shows the position after a turn (0: before the first). The last turn and null follow the game again. */
  async look(turn: number | null, done = 0): Promise<void> {
    this.film.skip();
    const count = this.turns.length;
    if (turn === null || turn >= count) return this.follow();
    const wanted = Math.max(0, turn);
    if (!this.past[wanted] || (done && this.positions[wanted] === undefined)) await this.loadPast();
    this.at = wanted;
    this.done = done;
    if (done) void this.partial.load(this.positions[wanted], this.turns[wanted]?.actions.slice(0, done) ?? []);
  }

  /** The place in the history that is shown. */
  get cursor(): Cursor {
    return { turn: this.at ?? this.turns.length, done: this.done };
  }

  /** Goes one action further or back. */
  async step(by: 1 | -1): Promise<void> {
    const { turn, done } = stepped(this.cursor, by, this.turns);
    await this.look(turn, done);
  }

  private follow(): void {
    this.at = null;
    this.done = 0;
  }

  private async loadPast(): Promise<void> {
    const read = await api.turns(this.id);
    this.positions = {
      0: read.start,
      ...Object.fromEntries(read.turns.flatMap((turn) => (turn.position ? [[turn.number, turn.position]] : []))),
    };
    this.past = {
      0: read.start_view,
      ...Object.fromEntries(read.turns.map((turn) => [turn.number, turn.view])),
      ...this.past,
    };
  }
}

/** The events of a turn that its player has not seen while building it. */
const ENDS = ['game-ended', 'passed', 'turn-ended', 'last-round', 'towers-completed'];
