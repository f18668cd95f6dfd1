/** Alerts a player whose turn it is: by sound, to screen readers, and by a notification if the page is hidden. */

import { gameTitle } from '../../games/index.svelte';
import { t } from '../i18n/index.svelte';
import type { GameName } from '../net/types';
import { settings } from '../settings.svelte';
import { sound } from '../sound';
import { announce } from '../ui/announcer.svelte';

export function alertTurn(id: string, game: GameName): void {
  sound('turn');
  announce(t('table.yourTurn'));
  if (settings.notify && document.hidden) notify(id, game);
}

function notify(id: string, game: GameName): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  try {
    const note = new Notification(t('table.yourTurn'), { body: gameTitle(game), tag: id, icon: '/icon.svg' });
    note.onclick = () => {
      window.focus();
      note.close();
    };
  } catch {
    // Some phones allow notifications only for installed pages.
  }
}
