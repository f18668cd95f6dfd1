/** The live connection and the WebSocket below it. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Live } from '../src/lib/net/live';
import type { LiveMessage } from '../src/lib/net/types';

class FakeSocket {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  static all: FakeSocket[] = [];
  readyState = FakeSocket.CONNECTING;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  /** A browser writes an error on the console if this happens. */
  wasClosedEarly = false;

  constructor(readonly url: string) {
    FakeSocket.all.push(this);
  }

  open(): void {
    this.readyState = FakeSocket.OPEN;
    this.onopen?.();
  }

  close(): void {
    this.wasClosedEarly ||= this.readyState === FakeSocket.CONNECTING;
    this.readyState = FakeSocket.CLOSED;
    this.onclose?.();
  }
}

describe('a live connection', () => {
  const received: string[] = [];
  const states: string[] = [];
  const start = () =>
    new Live<LiveMessage>(
      '/games/abc',
      () => 3,
      (message) => received.push(message.type),
      (state) => states.push(state),
    );

  beforeEach(() => {
    FakeSocket.all = [];
    received.length = states.length = 0;
    vi.stubGlobal('WebSocket', FakeSocket);
  });

  afterEach(() => vi.unstubAllGlobals());

  it.each(['close', 'reconnect'] as const)('%s waits for a socket that is still connecting', (act) => {
    const live = start();
    const [first] = FakeSocket.all;
    live[act]();
    expect(first?.wasClosedEarly).toBe(false);
    first?.open();
    expect(first?.readyState).toBe(FakeSocket.CLOSED);
    expect(first?.wasClosedEarly).toBe(false);
    expect(states).not.toContain('open');
    live.close();
  });

  it('receives only from the new socket after it reconnected', () => {
    const live = start();
    FakeSocket.all[0]?.open();
    live.reconnect();
    expect(FakeSocket.all).toHaveLength(2);
    FakeSocket.all[1]?.open();
    FakeSocket.all[0]?.onmessage?.({ data: '{"type": "late"}' });
    FakeSocket.all[1]?.onmessage?.({ data: '{"type": "pong"}' });
    expect(received).toEqual(['pong']);
    live.close();
    expect(FakeSocket.all[1]?.readyState).toBe(FakeSocket.CLOSED);
  });
});
