import { rightsChanged } from './rights';
import { isLocal } from './edition';
import { thinksNow, transport } from './transport';
import type {
  Advice,
  Analysis,
  BoardView,
  Meta,
  NewGame,
  ReadRecord,
  ReadTree,
  Review,
  Schemas,
  Snapshot,
  Summary,
  TryResult,
  Turn,
  Verdict,
} from './types';

/** A refused or failed request, with the server's error code, or `offline` if there was no answer. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status: number,
    readonly rule: string | null = null,
    readonly facts: Record<string, unknown> = {},
  ) {
    super(message);
    this.name = 'Refused';
  }
}

async function refusal(response: Response): Promise<Refused> {
  let body: Record<string, unknown>;
  try {
    body = (await response.json()) as Record<string, unknown>;
  } catch {
    body = {};
  }
  const code = typeof body['code'] === 'string' ? body['code'] : codeOf(response.status);
  const message = typeof body['message'] === 'string' ? body['message'] : response.statusText;
  const rule = typeof body['rule'] === 'string' ? body['rule'] : null;
  return new Refused(code, message, response.status, rule, body);
}

function codeOf(status: number): string {
  if (status === 404) return 'not-found';
  if (status === 429) return 'too-many-requests';
  if (status >= 500) return 'internal-error';
  return 'refused';
}

async function ask(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  isLast = false,
): Promise<Response> {
  let response: Response;
  try {
    response = await transport.send(method, path, body, signal, isLast);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refused('offline', 'No answer from the server.', 0);
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

/** Sends a request and returns the JSON of the answer. With `isLast` it is sent even if the page is being left. */
export async function json<T>(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  isLast = false,
): Promise<T> {
  const response = await ask(method, path, body, signal, isLast);
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

/** Reads a stream of JSON lines, one value at a time. */
async function* lines<T>(response: Response): AsyncGenerator<T> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    rest += value ?? '';
    const parts = rest.split('\n');
    rest = done ? '' : (parts.pop() ?? '');
    for (const part of parts) if (part.trim()) yield JSON.parse(part) as T;
    if (done) return;
  }
}

const path = encodeURIComponent;

let meta: Promise<Meta> | undefined;

export const api = {
  meta(): Promise<Meta> {
    meta ??= json<Meta>('GET', '/meta').catch((error: unknown) => {
      meta = undefined;
      throw error;
    });
    return meta;
  },
  board: (name: string) => json<BoardView>('GET', `/boards/${path(name)}`),
  checkBoard: (text: string) =>
    json<{
      board: BoardView | null;
      problems: { code: string; message: string; line: number | null; column: number | null }[];
      fairness?: { unfairness: number; sizes: number[]; fences: number[] } | null;
    }>('POST', '/boards/check', { text }),
  newBoard: (seed: number) => json<BoardView>('POST', '/boards/new', { seed }),
  create: (game: NewGame) =>
    json<{ id: string; seq: number; secrets: (string | null)[]; game: Snapshot }>('POST', '/games', game),
  game: (id: string) => json<Snapshot>('GET', `/games/${path(id)}`),
  games: (query: Record<string, string>) =>
    json<{ games: Summary[]; next: string | null }>('GET', `/games?${new URLSearchParams(query)}`),
  sit: (id: string, seat: number, body: { secret?: string; name?: string }) =>
    json<{ seat: number; secret: string | null; game: Snapshot }>(
      'POST',
      `/games/${path(id)}/seats/${seat}`,
      body,
    ).finally(rightsChanged),
  try: (id: string, seq: number, actions: string[], signal?: AbortSignal) =>
    json<TryResult>('POST', `/games/${path(id)}/try`, { seq, actions }, signal),
  submit: (id: string, seq: number, actions: string[], key: string) =>
    json<{ seq: number; turn: Turn }>('POST', `/games/${path(id)}/turns`, { seq, actions, key }),
  resign: (id: string, seat: number) => json<unknown>('POST', `/games/${path(id)}/resign`, { seat }),
  abort: (id: string) => json<unknown>('POST', `/games/${path(id)}/abort`, {}),
  offer: (id: string, kind: string, seat: number) => json<unknown>('POST', `/games/${path(id)}/offers`, { kind, seat }),
  answer: (id: string, kind: string, seat: number, accept: boolean) =>
    json<unknown>('POST', `/games/${path(id)}/offers/${kind}`, { seat, accept }),
  rematch: (id: string, harder = false) =>
    json<{ id: string; secrets?: (string | null)[] }>('POST', `/games/${path(id)}/rematch`, { harder }),
  continueOnline: async (id: string) =>
    json<{ id: string; secrets: (string | null)[] }>(
      'POST',
      '/games/continue',
      await json<unknown>('GET', `/local/games/${path(id)}/log`),
    ),
  claim: (id: string, seat: number) => json<unknown>('POST', `/games/${path(id)}/claim`, { seat, to: 'computer' }),
  /** The engine's turn. Computed on this device if it can and the position at the start of the turn is known. */
  hint: async (id: string, seat: number, position?: string): Promise<{ turn: string[] }> => {
    if (position === undefined || isLocal(id) || !thinksNow())
      return json<{ turn: string[] }>('POST', `/games/${path(id)}/hint`, { seat });
    let turn: string[] = [];
    for await (const found of api.analyse(position, 1, 1, new AbortController().signal))
      turn = found.lines[0]?.turn ?? turn;
    return { turn };
  },
  tryPosition: (start: unknown, actions: string[], signal?: AbortSignal) =>
    json<TryResult>('POST', '/positions/try', { start, actions }, signal),
  advice: async (position: string) =>
    (await json<{ advice: Advice | null }>('POST', '/positions/advice', { position })).advice,
  history: (id: string, before: number) =>
    json<{ turns: Turn[]; omitted: number }>('GET', `/games/${path(id)}/history?before=${before}`),
  turns: (id: string) => json<ReadRecord>('GET', `/games/${path(id)}/turns`),
  readRecord: (text: string) => json<ReadRecord>('POST', '/records/read', { text }),
  /** A record as a tree and as text, from a text, a tree or a starting position. */
  tree: (source: Omit<Partial<Schemas['TreeSource']>, 'start'> & { start?: unknown }) =>
    json<ReadTree>('POST', '/records/tree', source),
  /** The file that a link to the API offers, for pages without a server. */
  file: async (path: string) => (await ask('GET', path)).blob(),
  recordGif: async (text: string) => (await ask('POST', '/records/animation.gif', { text })).blob(),
  judge: (position: string, actions: string[], signal: AbortSignal) =>
    json<Verdict>('POST', '/positions/review', { position, actions }, signal),
  /** The engine's verdict on a turn about to be sent; refused in games against people. */
  coach: (id: string, seat: number, seq: number, actions: string[]) =>
    json<Verdict>('POST', `/games/${path(id)}/coach`, { seat, seq, actions }),
  review: (id: string) => json<Review>('GET', `/games/${path(id)}/review`),
  startReview: (id: string) => json<Review>('POST', `/games/${path(id)}/review`, {}),
  async *analyse(position: string, seconds: number, count: number, signal: AbortSignal): AsyncGenerator<Analysis> {
    yield* lines<Analysis>(await ask('POST', '/analysis', { position, seconds, lines: count }, signal));
  },
};
