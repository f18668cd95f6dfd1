/**
 * The worker that runs games in the browser. One tab has the games: its worker holds a lock, runs Python and writes the log. Workers of
 * other tabs forward the requests of their pages to it. When that tab is closed, another one takes over.
 */

import { Crew } from './crew';
import type { Relay, Reply, Request } from './messages';
import { laterParts, loadPython, type Tab } from './python';
import { GameStore } from './store';

const ME = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
const LOCK = 'terrarium.games';
const channel = new BroadcastChannel('terrarium.tab');
const post = (reply: Reply) => postMessage(reply);
const relay = (message: Relay) => channel.postMessage(message);

let folder = '';
let processors = 1;
let tab: Tab | null = null;
let role: 'unknown' | 'leader' | 'follower' = 'unknown';
/** The tab that has the games, if a follower knows it. */
let leader: string | null = null;
/** Requests of the page from before the role was decided. */
let early: Request[] = [];
/** Requests from before Python was ready, with the tabs that sent them. */
let waiting: [string, Request][] = [];
/** The tab of each request and live connection, by its id. */
const owners = new Map<string, string>();
/** Whether games and studies are kept, or lost when the tab is closed. */
const kept = { games: true, studies: true };
const isKept = () => kept.games && kept.studies;

function answer(owner: string, reply: Reply): void {
  if (owner === ME) post(reply);
  else relay({ kind: 'reply', to: owner, reply });
}

function answered(id: string, status: number, media: string, text: string, isLast: boolean): void {
  const owner = owners.get(id);
  if (owner !== undefined) answer(owner, { type: 'reply', id, status, media, text, isLast });
  if (isLast) owners.delete(id);
}

function sendMessage(id: string, text: string): void {
  const owner = owners.get(id);
  if (owner !== undefined) answer(owner, { type: 'tell', id, text });
}

function announceStorage(what: keyof typeof kept, state: boolean): void {
  kept[what] = state;
  const reply: Reply = { type: 'storage', isKept: isKept() };
  post(reply);
  relay({ kind: 'reply', to: null, reply });
}

function announceReady(): void {
  if (!tab) return;
  post({ type: 'ready' });
  relay({ kind: 'reply', to: null, reply: { type: 'ready' } });
}

function carryOut(owner: string, request: Request): void {
  if (!tab) {
    waiting.push([owner, request]);
    return;
  }
  if (request.type === 'ask') {
    owners.set(request.id, owner);
    tab.ask(request.id, request.method, request.path, request.body);
  } else if (request.type === 'watch') {
    const { id, game, since } = request;
    owners.set(id, owner);
    void tab.watch(id, game, since ?? undefined).then((isThere) => {
      if (!isThere) answer(owner, { type: 'closed', id });
    });
  } else if (request.type === 'hear') tab.hear(request.id, request.text);
  else if (request.type === 'cancel') {
    owners.delete(request.id);
    tab.cancel(request.id);
  } else if (request.type === 'unwatch') {
    owners.delete(request.id);
    tab.unwatch(request.id);
  }
}

/** A tab was closed: drop its requests. */
function forget(owner: string): void {
  for (const [id, who] of owners)
    if (who === owner) {
      owners.delete(id);
      tab?.cancel(id);
      tab?.unwatch(id);
    }
}

function decide(as: 'leader' | 'follower'): void {
  role = as;
  const queue = early;
  early = [];
  for (const request of queue) handle(request);
}

async function lead(): Promise<void> {
  decide('leader');
  relay({ kind: 'leader', id: ME });
  try {
    const store = new GameStore('terrarium', (state) => announceStorage('games', state));
    // Studies have their own database, so that a tab with an older version can still open that of the games.
    const studies = new GameStore('terrarium-studies', (state) => announceStorage('studies', state));
    const [python] = await Promise.all([loadPython(folder), store.open(), studies.open()]);
    const app = python.pyimport('terrarium.tab.app');
    const crew = new Crew(folder, processors);
    const made = app['Tab']?.(store, answered, sendMessage, crew, studies, laterParts(python, folder)) as Tab;
    await made.open();
    tab = made;
  } catch (error) {
    post({ type: 'failed', message: String(error) });
    relay({ kind: 'reply', to: null, reply: { type: 'failed', message: String(error) } });
    return;
  }
  announceReady();
  const queue = waiting;
  waiting = [];
  for (const [owner, request] of queue) carryOut(owner, request);
}

function start(): void {
  // Without HTTPS there are no locks. Then the log refuses an event that another tab has written already.
  if (!('locks' in navigator)) {
    void lead();
    return;
  }
  const forever = () => new Promise<void>(() => undefined);
  void navigator.locks.request(LOCK, { ifAvailable: true }, async (lock) => {
    if (lock) {
      void lead();
      await forever();
      return;
    }
    decide('follower');
    relay({ kind: 'who' });
    void navigator.locks.request(LOCK, async () => {
      post({ type: 'lost' });
      void lead();
      await forever();
    });
  });
}

channel.onmessage = ({ data }: MessageEvent<Relay>) => {
  if (role === 'leader') {
    if (data.kind === 'request') carryOut(data.from, data.request);
    else if (data.kind === 'gone') forget(data.from);
    else if (data.kind === 'who') {
      relay({ kind: 'leader', id: ME });
      relay({ kind: 'reply', to: null, reply: { type: 'storage', isKept: isKept() } });
      announceReady();
    }
  } else if (role === 'follower') {
    if (data.kind === 'reply' && (data.to === ME || data.to === null)) post(data.reply);
    else if (data.kind === 'leader') {
      if (leader !== null && leader !== data.id) post({ type: 'lost' });
      leader = data.id;
    }
  }
};

function handle(request: Request): void {
  if (role === 'unknown') early.push(request);
  else if (role === 'leader') carryOut(ME, request);
  else if (request.type === 'leave') relay({ kind: 'gone', from: ME });
  else relay({ kind: 'request', from: ME, request });
}

onmessage = ({ data }: MessageEvent<Request>) => {
  if (data.type !== 'start') handle(data);
  else {
    ({ folder, processors } = data);
    start();
  }
};
