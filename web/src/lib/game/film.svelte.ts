/** Turns of others, shown as they happened: one after the other, action by action. */

import type { Action, Turn, View } from '../net/types';
import { pace, turnTime } from '../settings.svelte';
import { parts } from './notation';

interface Views {
  before: View;
  after: View;
}

/** What a scene shows: a turn, or a resignation, which has no actions and the number of the turn before it. */
export type Shown = Pick<Turn, 'number' | 'seat' | 'actions' | 'events'>;

export interface Scene {
  turn: Shown;
  /** What the board shows until the turn begins. */
  now: View;
  views: Views | Promise<Views>;
  /** What the board looks like after an action. */
  shown: (view: View, action: Pick<Action, 'kind' | 'source' | 'target'>) => View;
  /** Whether somebody asked to see this turn once more. */
  isAgain?: boolean;
}

/** How long the player is named before the first action, how long one action is shown, all of them at most, and the result. */
const LEAD = 240;
const ACTION = 380;
const ACTIONS = 1600;
const RESULT = 320;

/** With more turns than this waiting, they are shown faster, up to twice as fast. */
const ON_TIME = 4;

const wait = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

export class Film {
  /** What the board shows; null when nothing is being shown. */
  view = $state.raw<View | null>(null);
  /** The turn being shown, and its actions so far. */
  turn = $state.raw<Shown | null>(null);
  actions = $state.raw<string[]>([]);
  isAgain = $state(false);
  private readonly scenes: Scene[] = [];
  private reel = 0;

  /** `onshown` is called with turns when all of them were shown: one at a time, or what was skipped. */
  constructor(private readonly onshown: (turns: readonly Shown[]) => void) {}

  add(scene: Scene): void {
    this.scenes.push(scene);
    if (this.scenes.length > 1) return;
    this.begin(scene, scene.now);
    void this.run();
  }

  /** Shows the rest at once. */
  skip(): void {
    this.reel++;
    const rest = this.scenes.splice(0);
    if (rest.length) this.onshown(rest.map((scene) => scene.turn));
    this.end();
  }

  /** Drops the rest. */
  drop(): void {
    this.reel++;
    this.scenes.length = 0;
    this.end();
  }

  private begin({ turn, isAgain = false }: Scene, view: View): void {
    this.turn = turn;
    this.isAgain = isAgain;
    this.actions = [];
    this.view = view;
  }

  private end(): void {
    this.view = null;
    this.turn = null;
    this.actions = [];
    this.isAgain = false;
  }

  private async run(): Promise<void> {
    const reel = this.reel;
    for (let scene = this.scenes[0]; scene; scene = this.scenes[0]) {
      await this.play(scene, reel);
      if (reel !== this.reel) return;
      this.scenes.shift();
      this.onshown([scene.turn]);
    }
    this.end();
  }

  private async play(scene: Scene, reel: number): Promise<void> {
    const { turn, shown } = scene;
    const { before, after } = await scene.views;
    if (reel !== this.reel) return;
    this.begin(scene, before);
    if (document.visibilityState !== 'visible') return;
    const hurry = Math.min(2, Math.max(1, this.scenes.length / ON_TIME));
    const count = turn.actions.length;
    const moment = count ? Math.min(pace(ACTION), pace(ACTIONS) / count) / hurry : 0;
    const result = pace(RESULT) / hurry;
    const least = turnTime() / hurry - count * moment - result;
    if (!moment) {
      // Without animations the result alone is shown, for as long as a turn takes at least.
      this.actions = turn.actions;
      this.view = after;
      await this.pause(Math.max(least, 0) + result);
      return;
    }
    await this.pause(Math.max(pace(LEAD) / hurry, least));
    if (reel !== this.reel) return;
    for (const text of turn.actions) {
      this.view = shown(this.view ?? before, parts(text));
      this.actions = [...this.actions, text];
      await this.pause(moment);
      if (reel !== this.reel) return;
    }
    this.view = after;
    await this.pause(result);
  }

  private async pause(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await wait(milliseconds);
  }
}
