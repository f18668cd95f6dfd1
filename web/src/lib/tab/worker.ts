/**
 * The worker of a page without a server. One tab of a browser has the games: it holds a lock, runs Python and writes the log. Workers of
 * other tabs pass on what their pages ask, and take over when that tab is closed.
 */

import { Crew } from './crew';
import type { Relay, Reply, Request } from './messages';
import { loadPython, type Tab } from './python';
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
/** Which tab has the games, as far as a follower knows. */
let leader: string | null = null;
/** What the page asked before it was clear who answers. */
let early: Request[] = [];
/** What was asked before Python was ready. */
let waiting: [string, Request][] = [];
/** Which tab asked: a request or a live connection by its id, as its owner named it. */
const owners = new Map<string, string>();
/** Whether games and studies are kept, or only last as long as the tab. */
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

function tell(id: string, text: string): void {
  const owner = owners.get(id);
  if (owner !== undefined) answer(owner, { type: 'tell', id, text });
}

function tellStorage(what: keyof typeof kept, state: boolean): void {
  kept[what] = state;
  const reply: Reply = { type: 'storage', isKept: isKept() };
  post(reply);
  relay({ kind: 'reply', to: null, reply });
}

function tellReady(): void {
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
  for (const request of queue) hear(request);
}

async function lead(): Promise<void> {
  decide('leader');
  relay({ kind: 'leader', id: ME });
  try {
    const store = new GameStore('terrarium', (state) => tellStorage('games', state));
    // A database of its own: a tab with an older version can still open the one of the games.
    const studies = new GameStore('terrarium-studies', (state) => tellStorage('studies', state));
    const [python] = await Promise.all([loadPython(folder), store.open(), studies.open()]);
    const app = python.pyimport('terrarium.tab.app');
    const made = app['Tab']?.(store, answered, tell, new Crew(folder, processors), studies) as Tab;
    await made.open();
    tab = made;
  } catch (error) {
    post({ type: 'failed', message: String(error) });
    relay({ kind: 'reply', to: null, reply: { type: 'failed', message: String(error) } });
    return;
  }
  tellReady();
  const queue = waiting;
  waiting = [];
  for (const [owner, request] of queue) carryOut(owner, request);
}

function start(): void {
  // Without HTTPS there are no locks: then the log itself refuses a second tab's events.
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
      tellReady();
    }
  } else if (role === 'follower') {
    if (data.kind === 'reply' && (data.to === ME || data.to === null)) post(data.reply);
    else if (data.kind === 'leader') {
      if (leader !== null && leader !== data.id) post({ type: 'lost' });
      leader = data.id;
    }
  }
};

function hear(request: Request): void {
  if (role === 'unknown') early.push(request);
  else if (role === 'leader') carryOut(ME, request);
  else if (request.type === 'leave') relay({ kind: 'gone', from: ME });
  else relay({ kind: 'request', from: ME, request });
}

onmessage = ({ data }: MessageEvent<Request>) => {
  if (data.type !== 'start') hear(data);
  else {
    ({ folder, processors } = data);
    start();
  }
};
