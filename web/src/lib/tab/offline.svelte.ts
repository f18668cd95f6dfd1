/**
 * Registers the service worker, which keeps the page's files, and reports new versions. A new version is activated in one tab, and by
 * that in all. The other tabs then reload while nobody looks at them, unless that would lose something; else they ask.
 */

import { hasServer } from '../net/edition';
import { settled } from '../net/tab.svelte';
import { hasUnsaved, isStored, watchFields } from './unsaved';

/** `isReady`: a new version waits to be activated. `isActive`: another tab has activated it, and this tab still shows the old one. */
export const update = $state({ isReady: false, isActive: false });

/** Milliseconds between two requests for a new version in a tab that stays open. */
const ASK_AGAIN = 3_600_000;

let registration: ServiceWorkerRegistration | null = null;
let isAsked = false;

/** Activates the new version and reloads this tab. */
export function useUpdate(): void {
  isAsked = true;
  if (!update.isActive && registration?.waiting) registration.waiting.postMessage('update');
  else location.reload();
}

/** Reloads a tab that shows an old version, if nobody sees it and nothing is lost. */
function reloadUnseen(): void {
  if (update.isActive && document.visibilityState === 'hidden' && !hasUnsaved()) location.reload();
}

/** Whether the next screen should be loaded with the whole page, because another tab has activated a new version. */
export const isOutdated = (): boolean => update.isActive && isStored();

function followUpdates(): void {
  // On a first visit the service worker takes control of a page that has the same version.
  let isControlled = navigator.serviceWorker.controller !== null;
  navigator.serviceWorker.addEventListener('controllerchange', () => {
    if (isAsked) location.reload();
    else if (isControlled) {
      update.isActive = true;
      reloadUnseen();
    }
    isControlled = true;
  });
  document.addEventListener('visibilitychange', reloadUnseen);
  navigator.serviceWorker.controller?.postMessage('loaded');
}

function askAgain(): void {
  let asked = Date.now();
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible' || Date.now() - asked < ASK_AGAIN) return;
    asked = Date.now();
    registration?.update().catch(() => undefined); // without a network: later
  });
}

/** Reports whether a new version waits. On a first visit there is no old version, and nothing to report. */
function look(): void {
  update.isReady = Boolean(registration?.waiting) && navigator.serviceWorker.controller !== null;
}

/** Registers the service worker, if the browser allows one: with HTTPS, or on localhost. */
export async function stayOffline(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  watchFields();
  followUpdates();
  // The service worker downloads all files: on a first visit, wait until the page can play.
  if (!hasServer) await settled;
  try {
    const made = await navigator.serviceWorker.register(new URL('sw.js', document.baseURI));
    registration = made;
    const follow = () => made.installing?.addEventListener('statechange', look);
    made.addEventListener('updatefound', follow);
    follow();
    look();
    askAgain();
  } catch {
    // The browser refuses a service worker: the page then needs the network.
  }
}
