import { changeLook, settings, type Look } from '../../lib/settings.svelte';

/** A phone, upright or on its side: in the 3D view its cells would be smaller than a fingertip. */
const PHONE = '(max-width: 600px), (max-height: 480px) and (pointer: coarse)';

/** Whether the towers are seen from above: as the reader chose, else on phones only. */
export const isAbove = (look: Look | undefined): boolean =>
  look?.['view'] === undefined ? matchMedia(PHONE).matches : look['view'] === 'above';

export const toggleView = (): void =>
  changeLook('turrium', 'view', isAbove(settings.looks['turrium']) ? 'isometric' : 'above');
