import { changeLook, settings, type Look } from '../../lib/settings.svelte';

/** Phones, in both orientations. There, cells in the 3D view would be smaller than a fingertip. */
const PHONE = '(max-width: 600px), (max-height: 480px) and (pointer: coarse)';

/** Whether the board is in the top view: as the reader chose, or else on phones only. */
export const isAbove = (look: Look | undefined): boolean =>
  look?.['view'] === undefined ? matchMedia(PHONE).matches : look['view'] === 'above';

export const toggleView = (): void =>
  changeLook('turrium', 'view', isAbove(settings.looks['turrium']) ? 'isometric' : 'above');
