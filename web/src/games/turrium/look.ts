import { changeLook, settings, type Look } from '../../lib/settings.svelte';

/** Whether the towers are seen from above. */
export const isAbove = (look: Look | undefined): boolean => look?.['view'] === 'above';

export const toggleView = (): void => changeLook('turrium', 'view', isAbove(settings.looks['turrium']) ? 'isometric' : 'above');
