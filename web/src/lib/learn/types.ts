import type { Look } from '../settings.svelte';

export interface Figure {
  id: string;
  position: string;
  actions: string[];
  look?: Look;
  /** A piece whose possible moves are shown, wherever the actions take it. */
  from?: string;
  /** A kind of action whose possible cells are shown; with `from`, of that piece and at once. */
  kind?: string;
}

/** Why a rule needs a ruling: the books are silent, they differ, or it is a house rule. */
export type Reading = 'reading' | 'differ' | 'house';

export interface Chapter {
  id: string;
  rules: string[];
  /** The rules that rest on a ruling of ours, each with a text `ruling.RULE`. */
  readings?: Record<string, Reading>;
  figures: Figure[];
  /** Hints, each a text `tip.NAME`. */
  tips?: string[];
  /** Questions, each with texts `faq.NAME.q` and `faq.NAME.a`. */
  faq?: string[];
}

export type Goal =
  | { kind: 'actions'; count: number; action?: string; targets?: string[] }
  | { kind: 'event'; event: string; where?: Record<string, string | number | boolean>; count?: number }
  | { kind: 'turn' }
  | { kind: 'cells'; cells: string[]; count?: number }
  | { kind: 'any'; of: Goal[] }
  | { kind: 'ladder'; held: number[] };

export interface Step {
  id: string;
  position: string;
  goal: Goal;
  /** Judged only when the reader presses *Finish turn*. */
  finish?: boolean;
  solution: string[];
}
