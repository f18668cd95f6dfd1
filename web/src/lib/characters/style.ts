import { has, t } from '../i18n/index.svelte';
import type { Character } from '../net/types';

/** How a computer player plays, in a sentence. */
export const styleText = (character: Pick<Character, 'style'> | null | undefined): string =>
  character && has(`characters.style.${character.style}`) ? t(`characters.style.${character.style}`) : '';
