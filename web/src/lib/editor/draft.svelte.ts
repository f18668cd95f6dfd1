/** The position that is set up in the editor: what was changed, undo, and the questions to the server or the tab whether it is legal. */

import { factsOf, loadPage } from '../../games/index.svelte';
import type { GameEditor, Setup } from '../../games/types';
import { sentBoard } from '../game/boards';
import { asRefused } from '../game/treeBoard.svelte';
import { api, Refused } from '../net/client';
import type { BoardView, CustomBoard, GameName, Rules, TryResult, View } from '../net/types';

export interface Draft {
  rules: Rules;
  board: BoardView | null;
  setup: Setup;
}

const MOST_STEPS = 100;

export class EditorDraft {
  game = $state<GameName>('');
  editor = $state.raw<GameEditor | null>(null);
  now = $state.raw<Draft | null>(null);
  /** The last position that was legal: what the draft leaves open is drawn as there. */
  drawn = $state.raw<View | null>(null);
  /** The position that the draft is; null while it is not known to be one. */
  found = $state.raw<TryResult | null>(null);
  /** Why the draft is not a position. */
  refused = $state.raw<Refused | null>(null);
  /** Why nothing can be shown. */
  failed = $state.raw<Refused | null>(null);
  /** Why the last request changed nothing. */
  notice = $state.raw<Refused | null>(null);
  private past = $state.raw<Draft[]>([]);
  private future = $state.raw<Draft[]>([]);
  private isClosed = false;
  /** Counts requests: only the answer to the latest is used. Another position makes the answer to a check useless, but not the other way round. */
  private opens = 0;
  private checks = 0;

  /** `onfound` is called with each legal position that was reached here. */
  constructor(private readonly onfound: (found: TryResult) => void) {}

  get canUndo(): boolean {
    return this.past.length > 0;
  }
  get canRedo(): boolean {
    return this.future.length > 0;
  }
  get players(): number {
    return Number(this.now?.rules['players'] ?? 2);
  }

  /** While it is closed, answers are ignored: another screen was asked for. */
  close(isClosed = true): void {
    this.isClosed = isClosed;
  }

  /** Shows another position. If several are asked for quickly, the last one is shown, whichever answer comes first. */
  async open(from: unknown): Promise<void> {
    this.failed = this.notice = null;
    await this.latest(async (isLatest) => {
      const answer = await api.tryPosition(from, []);
      const name = answer.view.game;
      const page = await loadPage(name);
      const editor = await factsOf(name)?.editor?.();
      if (!editor) throw new Refused('no-setup', '', 0);
      if (!isLatest()) return;
      const board = answer.board ? (page.taught?.(answer.board) ?? answer.board) : null;
      if (this.game === name) this.remember();
      else this.past = this.future = [];
      this.game = name;
      this.editor = editor;
      this.drawn = answer.view;
      this.now = { rules: answer.rules ?? {}, board, setup: editor.setup(answer.view) };
      await this.check();
    });
  }

  /** Does something that replaces the position, unless something else was asked for meanwhile. */
  private async latest(act: (isLatest: () => boolean) => Promise<void>): Promise<void> {
    const mine = ++this.opens;
    const isLatest = () => mine === this.opens && !this.isClosed;
    try {
      await act(isLatest);
    } catch (error) {
      if (!isLatest()) return;
      if (this.now) this.notice = asRefused(error);
      else this.failed = asRefused(error);
    }
  }

  private remember(): void {
    if (this.now) this.past = [...this.past.slice(1 - MOST_STEPS), this.now];
    this.future = [];
  }

  change(next: Partial<Draft>): void {
    if (!this.now) return;
    this.remember();
    this.now = { ...this.now, ...next };
    void this.check();
  }

  undo(): void {
    const before = this.past.at(-1);
    if (!before || !this.now) return;
    this.future = [this.now, ...this.future];
    this.past = this.past.slice(0, -1);
    this.now = before;
    void this.check();
  }

  redo(): void {
    const [next, ...rest] = this.future;
    if (!next || !this.now) return;
    this.past = [...this.past, this.now];
    this.future = rest;
    this.now = next;
    void this.check();
  }

  /** Asks whether the draft is a position. */
  private async check(): Promise<void> {
    const draft = this.now;
    if (!draft) return;
    const { game } = this;
    const [mine, opens] = [++this.checks, this.opens];
    const isLatest = () => mine === this.checks && !this.isClosed;
    try {
      const answer = await api.tryPosition(
        { game, rules: draft.rules, ...(await this.sentBoard()), setup: draft.setup },
        [],
      );
      if (!isLatest()) return;
      this.found = answer;
      this.drawn = answer.view;
      // With what an edition sets.
      this.now = { ...draft, rules: answer.rules ?? draft.rules };
      this.refused = null;
      // While another position is loaded, its address must stay.
      if (opens === this.opens) this.onfound(answer);
    } catch (error) {
      if (!isLatest()) return;
      this.found = null;
      this.refused = asRefused(error);
    }
  }

  /** The board as a part of a request; empty if the game has none. */
  async sentBoard(): Promise<{ board?: string | CustomBoard }> {
    return this.now?.board ? { board: await sentBoard(this.game, this.now.board) } : {};
  }

  paint(board: BoardView): void {
    if (this.now && this.editor)
      this.change({ board, setup: this.editor.fitted?.(this.now.setup, board) ?? this.now.setup });
  }

  /** Another board, with the pieces that fit on it. */
  async chooseBoard(wanted: string | CustomBoard | undefined): Promise<void> {
    const draft = this.now;
    if (!draft || !wanted) return;
    this.notice = null;
    const { game } = this;
    await this.latest(async (isLatest) => {
      const { board } = await api.tryPosition({ game, rules: draft.rules, board: wanted }, []);
      const page = await loadPage(game);
      if (board && isLatest()) this.paint(page.taught?.(board) ?? board);
    });
  }

  /** The first position with another number of players. What the number of players decides is not kept. */
  async seatPlayers(count: number): Promise<void> {
    const draft = this.now;
    const { game, players } = this;
    if (!draft || count === players) return;
    await this.latest(async (isLatest) => {
      const { edition, variant } = draft.rules;
      const base = { ...(edition === undefined ? {} : { edition }), ...(variant === undefined ? {} : { variant }) };
      const usual = (await api.tryPosition({ game, rules: { ...base, players } }, [])).rules ?? {};
      const chosen = Object.entries(draft.rules).filter(([name, value]) => usual[name] !== value);
      const sent = await this.sentBoard();
      if (isLatest())
        await this.open({ game, rules: { ...base, ...Object.fromEntries(chosen), players: count }, ...sent });
    });
  }
}
