/** A turn being built action by action, with undo. The server checks each action. The caller sends the finished turn. */

import { pageOf } from '../../games/index.svelte';
import { movesIn } from '../board/pieces';
import type { Arrow, Hand } from '../board/types';
import { Refused } from '../net/client';
import type { Action, Cell, GameEvent, Reach, TryResult, View } from '../net/types';
import { afterPaint } from '../afterPaint';
import { arrowsOf } from './arrows';
import { parts } from './notation';
import { direct, fromSource, modes, sources, type Choice } from './targets';

export interface Base {
  view: View;
  legal: Action[];
  reach?: Record<Cell, Reach[]>;
  /** The further effects of actions, by their text. */
  previews?: Record<string, GameEvent[]>;
}

interface Step {
  actions: string[];
  result: TryResult;
}

/** An action that the server has not answered yet: the view after it, and the marks until the answer. */
interface Pending {
  actions: string[];
  view: View;
  sources: ReadonlySet<Cell>;
  targets: ReadonlyMap<Cell, Choice>;
}

const NOTHING: ReadonlyMap<Cell, Choice> = new Map();

type Attempt = (actions: string[]) => Promise<TryResult>;

export class Builder {
  base = $state.raw<Base | null>(null);
  steps = $state.raw<Step[]>([]);
  pending = $state.raw<Pending | null>(null);
  selected = $state<Cell | null>(null);
  hover = $state<Cell | null>(null);
  preview = $state<Cell | null>(null);
  chosenMode = $state<string | null>(null);
  problem = $state.raw<Refused | null>(null);
  /** Called with the events of each accepted action, for text and animation. */
  onapplied: ((events: GameEvent[]) => void) | undefined;
  onchange: (() => void) | undefined;
  private waiting: Promise<unknown> = Promise.resolve();

  constructor(private readonly attempt: Attempt) {}

  /** Starts over from a new position. */
  begin(base: Base | null): void {
    this.base = base;
    this.steps = [];
    this.pending = null;
    this.clear();
  }

  /** Requests the previews of the first actions, if the snapshot had none. */
  async foresee(ask: () => Promise<Pick<TryResult, 'reach' | 'previews'>>): Promise<void> {
    const base = this.base;
    if (!base || base.previews || !base.legal.length) return;
    try {
      await afterPaint();
      if (this.base !== base) return;
      const { reach, previews } = await ask();
      if (this.base === base) this.base = { ...base, reach, previews };
    } catch {
      // Previews are optional.
    }
  }

  readonly last = $derived(this.steps.at(-1)?.result ?? null);
  readonly view = $derived(this.pending?.view ?? this.last?.view ?? this.base?.view ?? null);
  /** The legal actions of the last answer, shown until the next answer. */
  readonly offered = $derived<Action[]>(this.last?.legal ?? this.base?.legal ?? []);
  /** The actions that can be chosen now: none while an answer is awaited. */
  readonly legal = $derived<Action[]>(this.pending ? [] : this.offered);
  readonly reach = $derived((this.last ? this.last.reach : this.base?.reach) ?? {});
  readonly previews = $derived((this.last ? this.last.previews : this.base?.previews) ?? {});
  readonly actions = $derived([...this.steps.flatMap((step) => step.actions), ...(this.pending?.actions ?? [])]);
  readonly isComplete = $derived(!this.pending && (this.last?.turn_complete ?? false));
  /** How the game would end if the turn were finished now. */
  readonly ending = $derived(this.pending ? null : (this.last?.ending ?? null));
  readonly canEnd = $derived(this.legal.some((action) => action.kind === 'end'));
  readonly sources = $derived<ReadonlySet<Cell>>(this.pending?.sources ?? sources(this.legal));
  readonly modes = $derived(modes(this.offered));
  readonly mode = $derived(
    this.chosenMode && this.modes.includes(this.chosenMode) ? this.chosenMode : (this.modes[0] ?? null),
  );
  readonly targets = $derived.by<ReadonlyMap<Cell, Choice>>(() => {
    if (this.pending) return this.pending.targets;
    return this.selected
      ? fromSource(this.legal, this.selected, this.reach[this.selected])
      : direct(this.legal, this.mode, this.previews);
  });
  /** The actions on cells that do not use the selected piece. */
  private readonly besides = $derived<ReadonlyMap<Cell, Choice>>(
    this.selected ? direct(this.legal, this.mode, this.previews) : NOTHING,
  );
  /** The targets of the piece under the pointer, before it is selected. */
  readonly hinted = $derived.by<ReadonlyMap<Cell, Choice>>(() =>
    !this.pending && !this.selected && this.hover && this.sources.has(this.hover)
      ? fromSource(this.legal, this.hover, this.reach[this.hover])
      : NOTHING,
  );
  readonly moves = $derived(movesIn(this.actions));
  readonly draft = $derived(new Set(this.actions.flatMap((text) => parts(text).target ?? [])));
  readonly trail = $derived<Arrow[]>(arrowsOf(this.actions));
  /** The effect of a click at the pointer or the finger. */
  readonly considered = $derived<Choice | null>(
    (!this.pending && this.targets.get(this.preview ?? this.hover ?? '')) || null,
  );

  click(cell: Cell | null, hand: Hand): void {
    if (this.pending) {
      // A click while an answer is awaited is handled after it, unless it is on the piece that the answer selects.
      void this.waiting.then(() => {
        if (cell === null || cell !== this.selected) this.click(cell, hand);
      });
      return;
    }
    this.problem = null;
    if (cell === null || cell === this.selected) return this.clear();
    const choice = this.targets.get(cell) ?? (this.sources.has(cell) ? undefined : this.besides.get(cell));
    if (choice) {
      if (hand === 'touch' && this.preview !== cell) {
        this.preview = cell;
        this.hover = cell;
        return;
      }
      void this.act(choice.actions);
      return;
    }
    if (this.sources.has(cell)) {
      this.selected = cell;
      this.preview = null;
      return;
    }
    const asked = this.written(cell);
    this.clear();
    if (asked) void this.explain(asked);
  }

  grab(cell: Cell): void {
    if (!this.pending && this.sources.has(cell)) this.selected = cell;
  }

  drop(cell: Cell | null): void {
    if (cell && cell !== this.selected) this.click(cell, 'mouse');
  }

  clear(): void {
    this.selected = null;
    this.preview = null;
    this.hover = null;
    this.problem = null;
  }

  choose(mode: string | null): void {
    if (mode === null) return;
    this.chosenMode = mode;
    this.clear();
  }

  /** Selects the next mode. */
  nextMode(): void {
    this.choose(this.modes[(this.modes.indexOf(this.mode ?? '') + 1) % this.modes.length] ?? null);
  }

  async act(actions: string[]): Promise<boolean> {
    const before = this.view;
    if (!before) return false;
    const sofar = this.actions;
    const page = pageOf(before.game);
    let picture = before;
    for (const text of actions)
      picture = page?.shown(picture, this.legal.find((action) => action.text === text) ?? parts(text)) ?? picture;
    this.pending = { actions, view: picture, ...this.marksDuring(actions) };
    this.selected = null;
    this.preview = null;
    this.problem = null;
    // The reader may undo the action before the request is sent.
    const job = afterPaint().then(() =>
      this.pending?.actions === actions ? this.attempt([...sofar, ...actions]) : null,
    );
    this.waiting = job.catch(() => undefined);
    try {
      const result = await job;
      if (!result || this.pending?.actions !== actions) return false;
      this.steps = [...this.steps, { actions, result }];
      this.pending = null;
      // A piece that can make several actions in a row stays selected until it can't move.
      const moved = parts(actions.at(-1) ?? '');
      if (moved.source && moved.target && result.reach?.[moved.target]?.length) this.selected = moved.target;
      this.onapplied?.(result.effects.slice(sofar.length).flat());
      this.onchange?.();
      return true;
    } catch (error) {
      if (this.pending?.actions !== actions) return false;
      this.pending = null;
      this.problem = error instanceof Refused ? error : new Refused('unknown', String(error), 0);
      return false;
    }
  }

  /** The marks while an answer is awaited. After placing or taking, most targets stay valid; a moved piece has none. */
  private marksDuring(actions: string[]): Pick<Pending, 'sources' | 'targets'> {
    const sources = new Set(this.sources);
    const targets = new Map(this.selected ? NOTHING : this.targets);
    for (const { source, target } of actions.map(parts)) {
      if (source) sources.delete(source);
      if (target) targets.delete(target);
    }
    return { sources, targets };
  }

  undo(): void {
    if (this.pending) this.pending = null;
    else this.steps = this.steps.slice(0, -1);
    this.clear();
    this.onchange?.();
  }

  reset(): void {
    this.steps = [];
    this.pending = null;
    this.clear();
    this.onchange?.();
  }

  /** Restores a draft after a reload. A draft that is no longer legal is dropped. */
  async restore(actions: string[]): Promise<void> {
    if (!actions.length || !this.base) return;
    const base = this.base;
    try {
      const result = await this.attempt(actions);
      if (this.base === base && !this.steps.length) this.steps = [{ actions, result }];
    } catch (error) {
      if (error instanceof Refused && error.code === 'offline') throw error;
    }
  }

  /** The notation of the illegal action that a click on this cell means, so that the server can explain the refusal. */
  private written(cell: Cell): string | null {
    if (this.selected) return `${this.selected}-${cell}`;
    const mark = this.base && this.mode ? pageOf(this.base.view.game)?.marks[this.mode] : undefined;
    return mark === undefined ? null : mark + cell;
  }

  private async explain(asked: string): Promise<void> {
    try {
      await this.attempt([...this.actions, asked]);
    } catch (error) {
      if (error instanceof Refused && error.code !== 'offline') this.problem = error;
    }
  }
}
