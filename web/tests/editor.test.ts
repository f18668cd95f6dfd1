/** The editor's draft: quick changes of the game, the seats or the board end with what was asked for last. */
import { afterEach, expect, it, vi } from 'vitest';
import { EditorDraft } from '../src/lib/editor/draft.svelte';
import { api, Refused } from '../src/lib/net/client';
import type { TryResult } from '../src/lib/net/types';

vi.mock('../src/games/index.svelte', async (original) => ({
  ...(await original<object>()),
  loadPage: () => Promise.resolve({}),
  factsOf: () => ({ editor: () => Promise.resolve({ setup: () => ({ to_move: 0, phase: 'play' }) }) }),
}));
afterEach(() => vi.restoreAllMocks());

const answer = (game: string, players = 2): TryResult =>
  ({ view: { game }, rules: { players }, board: null, position: `${game} ${players}` }) as unknown as TryResult;

/** A server that answers each request only when the test says so. */
function server() {
  const waiting: {
    start: { game: string; rules?: { players?: number }; setup?: unknown };
    send: (a: TryResult | Refused) => void;
  }[] = [];
  vi.spyOn(api, 'tryPosition').mockImplementation(
    (start) =>
      new Promise((resolve, reject) => {
        const send = (a: TryResult | Refused) => (a instanceof Refused ? reject(a) : resolve(a));
        waiting.push({ start: start as (typeof waiting)[number]['start'], send });
      }),
  );
  return waiting;
}
const settle = () => new Promise((done) => setTimeout(done));

/** Answers all requests, the latest first, until there are none. */
async function answerAll(waiting: ReturnType<typeof server>): Promise<void> {
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    next.send(answer(next.start.game, next.start.rules?.players));
    await settle();
  }
}

it('shows the game that was chosen last, although the answer for another one comes later', async () => {
  const [waiting, seen] = [server(), vi.fn()];
  const draft = new EditorDraft(seen);
  void draft.open({ game: 'nova' });
  void draft.open({ game: 'turrium' });
  await answerAll(waiting);
  expect(draft.game).toBe('turrium');
  expect(draft.found?.position).toBe('turrium 2');
  expect(seen.mock.calls.map(([found]) => (found as TryResult).position)).toEqual(['turrium 2']);
});

it('does not report a position of the game before while another one is loaded', async () => {
  const [waiting, seen] = [server(), vi.fn()];
  const draft = new EditorDraft(seen);
  void draft.open({ game: 'nova' });
  await answerAll(waiting);
  draft.change({});
  await settle();
  const [check] = waiting.splice(0);
  void draft.open({ game: 'turrium' });
  check?.send(answer('nova', 2));
  await answerAll(waiting);
  expect(draft.game).toBe('turrium');
  expect(seen.mock.calls.map(([found]) => (found as TryResult).position)).toEqual(['nova 2', 'turrium 2']);
});

it('seats the number of players that was chosen last', async () => {
  const waiting = server();
  const draft = new EditorDraft(() => undefined);
  void draft.open({ game: 'nova' });
  await answerAll(waiting);
  void draft.seatPlayers(3);
  void draft.seatPlayers(4);
  await answerAll(waiting);
  expect(draft.players).toBe(4);
});

it('ignores the refusal of a request that another one replaced', async () => {
  const waiting = server();
  const draft = new EditorDraft(() => undefined);
  void draft.open({ game: 'wrong' });
  void draft.open({ game: 'nova' });
  waiting.shift()?.send(new Refused('invalid-position', '', 422));
  await answerAll(waiting);
  expect(draft.failed).toBeNull();
  expect(draft.game).toBe('nova');
});
