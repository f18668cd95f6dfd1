/** Registers the service worker, which keeps the page's files, and reports when a new version is ready. */

import { hasServer } from '../net/edition';
import { settled } from '../net/tab.svelte';

export const update = $state({ isReady: false });

let fresh: ServiceWorker | null = null;

/** Activates the new version and reloads this tab. */
export function useUpdate(): void {
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
  fresh?.postMessage('update');
}

function found(worker: ServiceWorker | null): void {
  if (!worker) return;
  const look = () => {
    // On a first visit there is no old version to update.
    if (worker.state === 'installed' && navigator.serviceWorker.controller) {
      fresh = worker;
      update.isReady = true;
    }
  };
  worker.addEventListener('statechange', look);
  look();
}

/** Registers the service worker, if the browser allows one: with HTTPS, or on localhost. */
export async function stayOffline(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  // The service worker downloads all files: on a first visit, wait until the page can play.
  if (!hasServer) await settled;
  try {
    const registration = await navigator.serviceWorker.register(new URL('sw.js', document.baseURI));
    found(registration.waiting);
    registration.addEventListener('updatefound', () => found(registration.installing));
  } catch {
    // The browser refuses a service worker: the page then needs the network.
  }
}
