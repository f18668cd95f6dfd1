import { has, t } from '../../lib/i18n/index.svelte';

export function landscapeName(key: string): string {
  return has(`common.landscape.${key}`) ? t(`common.landscape.${key}`) : key;
}
