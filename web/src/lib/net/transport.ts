/** How the page sends requests: to a server by HTTP and WebSocket, or to the tab itself. */

import { mergedGames, mergedInsights, mergedOpenings, mergedStudies, needsNoServer } from './localGames';
import { hasServer, hasTab, isLocalAddress } from './edition';
import { storage, TabTransport } from './tab.svelte';
import { lastProgress } from '../puzzles/lastProgress';
import { settings } from '../settings.svelte';

/** A live connection to one game or study. */
export interface Connection {
  readonly isOpen: boolean;
  readonly isClosed: boolean;
  send(text: string): void;
  close(): void;
}

export interface Listener {
  onopen(): void;
  onmessage(text: string): void;
  onclose(): void;
}

export interface Transport {
  /** Rejects if there is no answer at all. The last request of a page is sent even if the page is left meanwhile. */
  send(method: string, path: string, body: unknown, signal?: AbortSignal, isLast?: boolean): Promise<Response>;
  /** `address` is that of the game or study, as in `send`. */
  connect(address: string, since: number | null, listener: Listener): Connection;
}

class HttpTransport implements Transport {
  send(method: string, path: string, body: unknown, signal?: AbortSignal, isLast = false): Promise<Response> {
    return fetch(`/api${path}`, {
      method,
      credentials: 'same-origin',
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      keepalive: isLast,
    });
  }

  connect(address: string, since: number | null, listener: Listener): Connection {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const query = since === null ? '' : `?since=${since}`;
    const socket = new WebSocket(`${scheme}://${location.host}/api${address}/live${query}`);
    socket.onopen = () => listener.onopen();
    socket.onmessage = (event) => listener.onmessage(event.data as string);
    socket.onclose = () => listener.onclose();
    return {
      get isOpen() {
        return socket.readyState === WebSocket.OPEN;
      },
      get isClosed() {
        return socket.readyState === WebSocket.CLOSING || socket.readyState === WebSocket.CLOSED;
      },
      send: (text) => socket.send(text),
      close: () => {
        // A browser reports an error if a socket is closed before it is open.
        if (socket.readyState === WebSocket.CONNECTING) socket.onopen = () => socket.close();
        else socket.close();
      },
    };
  }
}

/** What needs no more than a position: the visitor's own processor may think about it. */
const THOUGHTS = /^\/(analysis|positions\/review|puzzles\/\w+\/[\w-]+\/(try|give-up))$/;
/** What the tab can answer as well as a server, if that one can't be reached. */
const ANYWHERE =
  /^\/(meta|analysis|positions\/(try|review|advice)|openings|records\/(read|tree)|boards(\/.*)?|puzzles(\/.*)?|me\/puzzles)$/;

/** Whether the tab may answer for a server that can't be reached. It does not know what an account has solved. */
export const isForTab = (path: string): boolean => ANYWHERE.test(path) && !(path === '/me/puzzles' && lastProgress());

/** How the answers of the server and of this browser become one, if both know a part. */
function mergeOf(method: string, path: string, body: unknown): typeof mergedGames | null {
  const [place = '', query] = path.split('?');
  if (place === '/openings') return (body as { source?: string }).source === 'own' ? mergedOpenings : null;
  if (method !== 'GET') return null;
  if (place === '/studies') return mergedStudies;
  if (place === '/me/insights') return mergedInsights;
  return place === '/games' && new URLSearchParams(query).get('mine') === '1' ? mergedGames : null;
}

/** A server and the tab: games of this browser and thinking in the tab, everything else at the server. */
class BothTransport implements Transport {
  private readonly http = new HttpTransport();
  private readonly tab = new TabTransport();

  constructor() {
    if (thinksHere()) whenIdle(() => this.open());
  }

  open(): void {
    this.tab.open();
  }

  async send(method: string, path: string, body: unknown, signal?: AbortSignal, isLast = false): Promise<Response> {
    if (path.startsWith('/local/') || isLocalAddress(path)) return this.tab.send(method, path, body, signal);
    const isNew = method === 'POST' && path === '/games' && needsNoServer(body);
    // The server answers until Python is loaded.
    if (thinksNow() && (isNew || THOUGHTS.test(path))) return this.tab.send(method, path, body, signal);
    const merge = mergeOf(method, path, body);
    if (merge)
      return merge(
        this.http.send(method, path, body, signal),
        storage.isReady ? this.tab.send(method, path, body, signal) : null,
        () => this.tab.send(method, path, body, signal),
      );
    try {
      return await this.http.send(method, path, body, signal, isLast);
    } catch (error) {
      const isNewStudy = method === 'POST' && path === '/studies';
      if (signal?.aborted || !(isNew || isNewStudy || isForTab(path))) throw error;
      return this.tab.send(method, path, body, signal);
    }
  }

  connect(address: string, since: number | null, listener: Listener): Connection {
    return (isLocalAddress(address) ? this.tab : this.http).connect(address, since, listener);
  }
}

function whenIdle(work: () => void): void {
  const later = () => ('requestIdleCallback' in window ? requestIdleCallback(() => work()) : setTimeout(work, 2000));
  if (document.readyState === 'complete') later();
  else addEventListener('load', later, { once: true });
}

/** Whether this device computes, where it can. */
const thinksHere = (): boolean => settings.thinks === 'device';

/** Whether this device computes now, although there is a server. */
export const thinksNow = (): boolean => hasServer && storage.isReady && thinksHere();

function tabAlone(): Transport {
  const tab = new TabTransport();
  tab.open(); // Python is loaded while the page is
  return tab;
}

export const transport: Transport = !hasServer ? tabAlone() : hasTab ? new BothTransport() : new HttpTransport();

/** Loads Python in a page that was opened while the server should think. */
export function prepareDevice(): void {
  if (transport instanceof BothTransport) transport.open();
}
