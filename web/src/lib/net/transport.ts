/** Sends the requests of the page: to a server by HTTP and WebSocket, or to the tab's worker. */

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
  /** Rejects if there is no answer at all. With `isLast`, the request is sent even if the page is being left. */
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

/** Requests for the engine that need only a position, so that this device can answer them. */
const THOUGHTS = /^\/(analysis|positions\/review|puzzles\/\w+\/[\w-]+\/(try|give-up))$/;
/** Requests that the tab can answer if the server can't be reached. */
const ANYWHERE =
  /^\/(meta|analysis|positions\/(try|review|advice)|openings|records\/(read|tree)|boards(\/.*)?|puzzles(\/.*)?|me\/puzzles)$/;

/** Whether the tab may answer for a server that can't be reached. The tab does not know the progress of an account. */
export const isForTab = (path: string): boolean => ANYWHERE.test(path) && !(path === '/me/puzzles' && lastProgress());

/** The function that merges the answers of server and browser, if both have a part of the answer. */
function mergeOf(method: string, path: string, body: unknown): typeof mergedGames | null {
  const [place = '', query] = path.split('?');
  if (place === '/openings') return (body as { source?: string }).source === 'own' ? mergedOpenings : null;
  if (method !== 'GET') return null;
  if (place === '/studies') return mergedStudies;
  if (place === '/me/insights') return mergedInsights;
  return place === '/games' && new URLSearchParams(query).get('mine') === '1' ? mergedGames : null;
}

/** A server and the tab. The tab handles the games of this browser and the engine, the server everything else. */
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
    // Until Python is loaded, the server answers.
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

/** Whether the settings say that this device runs the engine. */
const thinksHere = (): boolean => settings.thinks === 'device';

/** Whether this device runs the engine now, although there is a server. */
export const thinksNow = (): boolean => hasServer && storage.isReady && thinksHere();

function tabAlone(): Transport {
  const tab = new TabTransport();
  tab.open(); // load Python while the page loads
  return tab;
}

export const transport: Transport = !hasServer ? tabAlone() : hasTab ? new BothTransport() : new HttpTransport();

/** Loads Python after the reader changed the setting from server to device. */
export function prepareDevice(): void {
  if (transport instanceof BothTransport) transport.open();
}
