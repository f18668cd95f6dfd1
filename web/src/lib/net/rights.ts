/** Notifies every tab of this browser that its rights changed: somebody sat down, signed in or signed out. */

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('terrarium.rights') : null;
const listeners = new Set<() => void>();

/** Calls `listener` when another tab of this browser gained or lost rights. Returns a function that stops this. */
export function onRightsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function rightsChanged(): void {
  channel?.postMessage(null);
}

channel?.addEventListener('message', () => listeners.forEach((listener) => listener()));
