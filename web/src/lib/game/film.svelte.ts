/** Turns of others, shown as they happened: one after the other, action by action. */

import type { Action, Turn, View } from '../net/types';
import { pace } from '../settings.svelte';
import { parts } from './notation';

interface Views {
  before: View;
  after: View;
}

export interface Scene {
  turn: Turn;
  /** What the board shows until the turn begins. */
  now: View;
  views: Views | Promise<Views>;
  /** What the board looks like after an action. */
  shown: (view: View, action: Pick<Action, 'kind' | 'source' | 'target'>) => View;
}

/** How long one action is shown, a turn at most, and its result. */
const ACTION = 380;
const TURN = 1600;
const RESULT = 320;

const wait = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

export class Film {
  /** What the board shows; null when nothing is being shown. */
  view = $state.raw<View | null>(null);
  /** The turn being shown, and its actions so far. */
  turn = $state.raw<Turn | null>(null);
  actions = $state.raw<string[]>([]);
  private readonly scenes: Scene[] = [];
  private reel = 0;

  /** `onshown` is called with each turn when all of it was shown. */
  constructor(private readonly onshown: (turn: Turn) => void) {}

  add(scene: Scene): void {
    this.scenes.push(scene);
    if (this.scenes.length > 1) return;
    this.view = scene.now;
    this.turn = scene.turn;
    void this.run();
  }

  /** Shows the rest at once. */
  skip(): void {
    this.reel++;
    for (const scene of this.scenes.splice(0)) this.onshown(scene.turn);
    this.end();
  }

  /** Forgets the rest. */
  drop(): void {
    this.reel++;
    this.scenes.length = 0;
    this.end();
  }

  private end(): void {
    this.view = null;
    this.turn = null;
    this.actions = [];
  }

  private async run(): Promise<void> {
    const reel = this.reel;
    for (let scene = this.scenes[0]; scene; scene = this.scenes[0]) {
      await this.play(scene, reel);
      if (reel !== this.reel) return;
      this.scenes.shift();
      this.onshown(scene.turn);
    }
    this.end();
  }

  private async play({ views, turn, shown }: Scene, reel: number): Promise<void> {
    const { before, after } = await views;
    if (reel !== this.reel) return;
    // Whoever falls behind sees everything, but faster.
    const hurry = Math.max(1, this.scenes.length / 2);
    const moment = Math.min(pace(ACTION), pace(TURN) / Math.max(1, turn.actions.length)) / hurry;
    this.turn = turn;
    this.view = before;
    this.actions = [];
    if (!moment || document.visibilityState !== 'visible') return;
    for (const text of turn.actions) {
      this.view = shown(this.view ?? before, parts(text));
      this.actions = [...this.actions, text];
      await wait(moment);
      if (reel !== this.reel) return;
    }
    this.view = after;
    await wait(pace(RESULT) / hurry);
  }
}
