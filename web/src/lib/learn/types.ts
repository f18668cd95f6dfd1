import type { Settings } from '../settings.svelte';

export interface Figure {
  id: string;
  position: string;
  actions: string[];
  overlay?: Settings['overlay'];
  above?: boolean;
}

export interface Chapter {
  id: string;
  rules: string[];
  figures: Figure[];
}

export type Goal =
  | { kind: 'actions'; count: number; action?: string; targets?: string[] }
  | { kind: 'event'; event: string; where?: Record<string, string | number | boolean> }
  | { kind: 'turn' }
  | { kind: 'cells'; cells: string[] };

export interface Step {
  id: string;
  position: string;
  goal: Goal;
  solution: string[];
}
