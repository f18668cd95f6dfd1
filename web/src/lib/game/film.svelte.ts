/** Shows turns of others one after the other, action by action. */

import { afterPaint } from '../afterPaint';
import type { Action, Turn, View } from '../net/types';
import { pace, turnTime } from '../settings.svelte';
import { parts } from './notation';

interface Views {
  before: View;
  after: View;
}

/** A turn, or a resignation: it has no actions, and the number of the turn before it. */
export type Shown = Pick<Turn, 'number' | 'seat' | 'actions' | 'events'>;

export interface Scene {
  turn: Shown;
  /** The view to show until `views` is loaded. */
  now: View;
  views: Views | Promise<Views>;
  /** The view after an action. */
  shown: (view: View, action: Pick<Action, 'kind' | 'source' | 'target'>) => View;
  /** Whether the turn was shown before. */
  isAgain?: boolean;
}

/** Milliseconds before the first action, for one action, for all actions at most, and for the result. */
const LEAD = 240;
const ACTION = 380;
const ACTIONS = 1600;
const RESULT = 320;

/** If more turns than this wait, they are shown faster, up to twice as fast. */
const ON_TIME = 4;

const wait = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

export class Film {
  /** The view to draw; null while no turn is being shown. */
  view = $state.raw<View | null>(null);
  /** The turn being shown, and its actions so far. */
  turn = $state.raw<Shown | null>(null);
  actions = $state.raw<string[]>([]);
  isAgain = $state(false);
  private readonly scenes: Scene[] = [];
  /** Rises when scenes are skipped or dropped. A run that began before then stops. */
  private generation = 0;

  /** `onshown` is called with each turn that was shown, or with all turns that were skipped. */
  constructor(private readonly onshown: (turns: readonly Shown[]) => void) {}

  add(scene: Scene): void {
    this.scenes.push(scene);
    if (this.scenes.length > 1) return;
    this.begin(scene, scene.now);
    void this.run();
  }

  /** Ends the show; the remaining turns count as shown. */
  skip(): void {
    this.generation++;
    const rest = this.scenes.splice(0);
    if (rest.length) this.onshown(rest.map((scene) => scene.turn));
    this.end();
  }

  /** Ends the show; the remaining turns are not reported. */
  drop(): void {
    this.generation++;
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
    const generation = this.generation;
    for (let scene = this.scenes[0]; scene; scene = this.scenes[0]) {
      await this.play(scene, generation);
      if (generation !== this.generation) return;
      this.scenes.shift();
      this.onshown([scene.turn]);
    }
    this.end();
  }

  private async play(scene: Scene, generation: number): Promise<void> {
    const { turn, shown } = scene;
    const { before, after } = await scene.views;
    // The reader's own turn leaves the board in one frame, and the pieces go back in the next.
    if (pace(ACTION) && document.visibilityState === 'visible') await afterPaint();
    if (generation !== this.generation) return;
    this.begin(scene, before);
    if (document.visibilityState !== 'visible') return;
    const hurry = Math.min(2, Math.max(1, this.scenes.length / ON_TIME));
    const count = turn.actions.length;
    const moment = count ? Math.min(pace(ACTION), pace(ACTIONS) / count) / hurry : 0;
    const result = pace(RESULT) / hurry;
    const least = turnTime() / hurry - count * moment - result;
    if (!moment) {
      // Without animations, show only the result, for the minimum time of a turn.
      this.actions = turn.actions;
      this.view = after;
      await this.pause(Math.max(least, 0) + result);
      return;
    }
    await this.pause(Math.max(pace(LEAD) / hurry, least));
    if (generation !== this.generation) return;
    for (const text of turn.actions) {
      this.view = shown(this.view ?? before, parts(text));
      this.actions = [...this.actions, text];
      await this.pause(moment);
      if (generation !== this.generation) return;
    }
    this.view = after;
    await this.pause(result);
  }

  private async pause(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await wait(milliseconds);
  }
}
