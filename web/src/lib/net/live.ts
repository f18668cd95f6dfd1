/** A live connection to a game or a study. It reconnects automatically, from the last seq received, until it is closed. */

import { isLocalAddress } from './edition';
import { transport, type Connection } from './transport';

export type LinkState = 'connecting' | 'open' | 'lost';

const PING_EVERY = 20_000;
const FIRST_WAIT = 300;
const LONGEST_WAIT = 8_000;

export class Live<Message> {
  private socket: Connection | undefined;
  private wait = FIRST_WAIT;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private ping: ReturnType<typeof setInterval> | undefined;
  private lastMessageAt = 0;
  private closed = false;

  constructor(
    private readonly address: string,
    private readonly since: () => number | null,
    private readonly onmessage: (message: Message) => void,
    private readonly onstate: (state: LinkState) => void,
  ) {
    this.connect();
    addEventListener('online', this.hurry);
    if (!isLocalAddress(this.address)) addEventListener('offline', this.lost);
    document.addEventListener('visibilitychange', this.hurry);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    clearInterval(this.ping);
    removeEventListener('online', this.hurry);
    removeEventListener('offline', this.lost);
    document.removeEventListener('visibilitychange', this.hurry);
    this.socket?.close();
  }

  /** Opens a new connection, which has the current rights of this browser. */
  reconnect(): void {
    if (this.closed) return;
    const socket = this.socket;
    this.socket = undefined;
    socket?.close();
    clearInterval(this.ping);
    this.wait = FIRST_WAIT;
    this.connect();
  }

  private connect(): void {
    if (this.closed) return;
    clearTimeout(this.timer);
    this.onstate('connecting');
    const socket: Connection = transport.connect(this.address, this.since(), {
      onopen: () => {
        if (this.socket !== socket) return;
        this.wait = FIRST_WAIT;
        this.lastMessageAt = Date.now();
        this.onstate('open');
        clearInterval(this.ping);
        this.ping = setInterval(() => this.beat(socket), PING_EVERY);
      },
      onmessage: (text) => {
        if (this.socket !== socket) return;
        this.lastMessageAt = Date.now();
        this.onmessage(JSON.parse(text) as Message);
      },
      onclose: () => {
        if (this.socket === socket) this.reconnectLater();
      },
    });
    this.socket = socket;
  }

  /** Sends a ping. A broken network can leave the socket open: close it after two pings without an answer. */
  private beat(socket: Connection): void {
    if (Date.now() - this.lastMessageAt > 2.5 * PING_EVERY) socket.close();
    else if (socket.isOpen) socket.send(JSON.stringify({ type: 'ping', at: Date.now() }));
  }

  private reconnectLater(): void {
    clearInterval(this.ping);
    if (this.closed) return;
    this.onstate('lost');
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), this.wait * (0.75 + Math.random() / 2));
    this.wait = Math.min(LONGEST_WAIT, this.wait * 2);
  }

  private hurry = (): void => {
    if (document.visibilityState === 'hidden' || this.closed) return;
    if (!this.socket || this.socket.isClosed) {
      this.wait = FIRST_WAIT;
      this.connect();
    }
  };

  private lost = (): void => {
    const socket = this.socket;
    this.socket = undefined;
    socket?.close();
    this.reconnectLater();
  };
}
