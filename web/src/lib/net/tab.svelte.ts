/** A transport to the tab's own worker, which answers requests and live connections without a server. */

import { LATER, type Reply, type Request } from '../tab/messages';
import { hasServer, tabFolder } from './edition';
import type { Connection, Listener, Transport } from './transport';

interface Waiting {
  begin(reply: Extract<Reply, { type: 'reply' }>): void;
  fail(error: Error): void;
}

interface Open {
  listener: Listener;
  isOpen: boolean;
  isClosed: boolean;
}

/** The state of the worker: whether games are kept, whether Python is loaded, and the error if not. */
export const storage = $state({ isKept: true, isReady: false, problem: '' });

const folder = (): URL => new URL(tabFolder ?? 'tab/', document.baseURI);

let settle: () => void;
/** Resolves when Python is loaded or has failed to load. */
export const settled = new Promise<void>((done) => (settle = done));

/** Beside a server, only files that were asked for are kept: with these, everything the tab can answer works without a connection. */
function keepLater(): void {
  for (const name of LATER) fetch(new URL(`${name}.pack`, folder())).catch(() => undefined);
}

export class TabTransport implements Transport {
  private worker: Worker | null = null;
  private readonly name = Math.random().toString(36).slice(2);
  private count = 0;
  private readonly waiting = new Map<string, Waiting>();
  private readonly connections = new Map<string, Open>();

  async send(method: string, path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
    // The build wrote the answer into a file, so that the page does not wait for Python.
    if (method === 'GET' && path === '/meta') {
      this.begin();
      return fetch(new URL('meta.json', folder()), { signal });
    }
    return this.ask(method, path, body, signal);
  }

  private ask(method: string, path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
    const id = this.id();
    return new Promise((done, failed) => {
      let stream: ReadableStreamDefaultController<Uint8Array> | null = null;
      const encoder = new TextEncoder();
      const cancel = () => {
        this.waiting.delete(id);
        this.post({ type: 'cancel', id });
        const error = new DOMException('aborted', 'AbortError');
        if (stream) stream.error(error);
        else failed(error);
      };
      if (signal?.aborted) {
        failed(new DOMException('aborted', 'AbortError'));
        return;
      }
      signal?.addEventListener('abort', cancel);
      this.waiting.set(id, {
        begin: ({ status, media, text, isLast }) => {
          if (!stream) {
            const content = isLast
              ? text
              : new ReadableStream<Uint8Array>({
                  start(controller) {
                    stream = controller;
                  },
                  cancel,
                });
            done(new Response(content, { status, headers: { 'content-type': media } }));
          }
          if (stream && text) stream.enqueue(encoder.encode(text));
          if (isLast) {
            stream?.close();
            this.waiting.delete(id);
            signal?.removeEventListener('abort', cancel);
          }
        },
        fail: (error) => {
          if (stream) stream.error(error);
          else failed(error);
        },
      });
      this.post({ type: 'ask', id, method, path, body: body === undefined ? '' : JSON.stringify(body) });
    });
  }

  connect(address: string, since: number | null, listener: Listener): Connection {
    const id = this.id();
    const open: Open = { listener, isOpen: false, isClosed: false };
    this.connections.set(id, open);
    // An id alone is enough, because games and studies of a browser have different ids.
    this.post({ type: 'watch', id, game: decodeURIComponent(address.split('/')[2] ?? ''), since });
    return {
      get isOpen() {
        return open.isOpen;
      },
      get isClosed() {
        return open.isClosed;
      },
      send: (text) => this.post({ type: 'hear', id, text }),
      close: () => {
        this.post({ type: 'unwatch', id });
        this.closed(id);
      },
    };
  }

  private closed(id: string): void {
    const open = this.connections.get(id);
    if (!open) return;
    this.connections.delete(id);
    open.isOpen = false;
    open.isClosed = true;
    open.listener.onclose();
  }

  /** Starts loading Python before the first request. */
  open(): void {
    this.begin();
  }

  private id(): string {
    return `${this.name}-${++this.count}`;
  }

  private post(request: Request): void {
    this.begin().postMessage(request);
  }

  private begin(): Worker {
    if (!this.worker) {
      this.worker = new Worker(new URL('../tab/worker.ts', import.meta.url), { type: 'module' });
      this.worker.onmessage = ({ data }: MessageEvent<Reply>) => this.receive(data);
      this.worker.onerror = (event) => this.failed(event.message);
      addEventListener('pagehide', () => this.worker?.postMessage({ type: 'leave' } satisfies Request));
      this.worker.postMessage({
        type: 'start',
        folder: folder().href,
        processors: navigator.hardwareConcurrency || 1,
      } satisfies Request);
    }
    return this.worker;
  }

  private receive(reply: Reply): void {
    if (reply.type === 'reply') this.waiting.get(reply.id)?.begin(reply);
    else if (reply.type === 'tell') {
      const open = this.connections.get(reply.id);
      if (open && !open.isOpen) {
        open.isOpen = true;
        open.listener.onopen();
      }
      open?.listener.onmessage(reply.text);
    } else if (reply.type === 'closed') this.closed(reply.id);
    else if (reply.type === 'storage') storage.isKept = reply.isKept;
    else if (reply.type === 'ready') {
      storage.isReady = true;
      settle();
      if (hasServer) keepLater();
    } else if (reply.type === 'failed') this.failed(reply.message);
    else this.drop(new Error('the tab with the games was closed'));
  }

  private failed(message: string): void {
    storage.problem = message;
    storage.isReady = false;
    settle();
    this.drop(new Error(message));
  }

  /** Rejects all pending requests and closes all connections; callers try again, as after a network failure. */
  private drop(error: Error): void {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const one of waiting) one.fail(error);
    for (const id of [...this.connections.keys()]) this.closed(id);
  }
}
