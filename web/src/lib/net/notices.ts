/** Notices about the reader's turns: push messages to this browser, and emails. */

import { json } from './client';
import type { components } from './openapi';

export type NoticeSettings = components['schemas']['NoticeSettings'];

export const notices = {
  settings: () => json<NoticeSettings>('GET', '/me/notices'),
  addPush: (subscription: PushSubscriptionJSON, language: string) =>
    json<NoticeSettings>('PUT', '/me/notices/push', {
      endpoint: subscription.endpoint,
      keys: { p256dh: subscription.keys?.['p256dh'] ?? '', auth: subscription.keys?.['auth'] ?? '' },
      language,
    }),
  forgetPush: (endpoint: string) => json<NoticeSettings>('POST', '/me/notices/push/forget', { endpoint }),
  setMail: (address: string, language: string) =>
    json<NoticeSettings>('PUT', '/me/notices/mail', { address, language }),
  confirmMail: (code: string) => json<NoticeSettings>('POST', '/me/notices/mail/confirm', { code }),
  forgetMail: () => json<NoticeSettings>('DELETE', '/me/notices/mail'),
};

/** Whether this browser supports push messages. */
export const canPush = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/** The subscription of this browser, if it has one. */
export async function subscription(): Promise<PushSubscription | null> {
  const found = await navigator.serviceWorker.getRegistration();
  return (await found?.pushManager.getSubscription()) ?? null;
}

/** Requests a push subscription; null if the reader refuses. */
export async function subscribe(key: string): Promise<PushSubscription | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null;
  await navigator.serviceWorker.register('/sw.js');
  const { pushManager } = await navigator.serviceWorker.ready;
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}
