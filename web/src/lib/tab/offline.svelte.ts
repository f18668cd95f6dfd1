/** The service worker of the page without a server: keeps every file, and says when a new version is ready. */

import { hasServer } from '../net/edition';
import { settled } from '../net/tab.svelte';

export const update = $state({ isReady: false });

let fresh: ServiceWorker | null = null;

/** Uses the new version: every open tab is loaded again with it. */
export function useUpdate(): void {
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
  fresh?.postMessage('update');
}

function found(worker: ServiceWorker | null): void {
  if (!worker) return;
  const look = () => {
    // A first visit has nothing to update.
    if (worker.state === 'installed' && navigator.serviceWorker.controller) {
      fresh = worker;
      update.isReady = true;
    }
  };
  worker.addEventListener('statechange', look);
  look();
}

/** Registers the service worker where the browser has them: with HTTPS, or on the same machine. */
export async function stayOffline(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  // A first visit plays before it downloads everything once more to keep it.
  if (!hasServer) await settled;
  try {
    const registration = await navigator.serviceWorker.register(new URL('sw.js', document.baseURI));
    found(registration.waiting);
    registration.addEventListener('updatefound', () => found(registration.installing));
  } catch {
    // Storage is closed to us: the page needs its network then.
  }
}
