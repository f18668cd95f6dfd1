import type { Look } from '../settings.svelte';

export interface Figure {
  id: string;
  position: string;
  actions: string[];
  look?: Look;
  /** The cell of a piece whose possible moves are shown; the actions may move the piece. */
  from?: string;
  /** A kind of action whose targets are shown; with `from`, the targets of that piece, even before the first action. */
  kind?: string;
}

/** Why a rule needs a ruling: the books are silent, they differ, or it is a house rule. */
export type Reading = 'reading' | 'differ' | 'house';

export interface Chapter {
  id: string;
  rules: string[];
  /** The rules that needed a ruling, each with a text `ruling.RULE`. */
  readings?: Record<string, Reading>;
  figures: Figure[];
  /** Tips, each with a text `tip.NAME`. */
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
