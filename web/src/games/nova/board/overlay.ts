import type { Look } from '../../../lib/settings.svelte';

/** What is drawn over the island. */
export const OVERLAYS = ['none', 'regions', 'landscapes', 'leader', 'pay'] as const;
export type Overlay = (typeof OVERLAYS)[number];

export const overlayOf = (look: Look | undefined): Overlay =>
  OVERLAYS.find((name) => name === look?.['overlay']) ?? 'none';
