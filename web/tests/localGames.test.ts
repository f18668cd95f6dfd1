/** The reader's games on a server and in this browser, counted together. */
import { describe, expect, it } from 'vitest';
import { mergedInsights, mergedOpenings } from '../src/lib/net/localGames';
import type { Insights } from '../src/lib/net/insights';
import type { Explored } from '../src/lib/net/openings';

const answer = (body: unknown) => Promise.resolve(Response.json(body));
const never = () => Promise.reject(new Error('not asked'));
const explored = (...turns: [string, number, number[]][]): Explored => ({
  source: 'own',
  games: turns.reduce((sum, [, games]) => sum + games, 0),
  turns: turns.map(([actions, games, wins]) => ({ actions: actions.split(' '), games, wins })),
  is_capped: false,
});

describe('the turns played in the reader’s games', () => {
  it('are added up, the most frequent first', async () => {
    const server = explored(['@e7', 2, [2, 0]], ['@f8', 1, [0, 1]]);
    const local = explored(['@f8', 3, [1, 2]]);
    const found = (await (await mergedOpenings(answer(server), answer(local), never)).json()) as Explored;
    expect(found).toEqual(explored(['@f8', 4, [1, 3]], ['@e7', 2, [2, 0]]));
  });

  it('are those of this browser if the server can’t be reached', async () => {
    const local = explored(['@f8', 3, [1, 2]]);
    const found = await mergedOpenings(never(), answer(local), never);
    expect(await found.json()).toEqual(local);
  });
});

describe('insights', () => {
  const group = (key: string, games: number, wins: number) => ({ game: 'nova', by: 'opponent', key, games, wins });
  const insights = (...groups: ReturnType<typeof group>[]): Insights => ({
    games: groups.length,
    groups,
    achieved: [{ game: 'nova', name: 'points', count: 1, total: 7, won_count: 0, won_total: 0 }],
    reviewed_games: 1,
    reviewed_turns: 10,
    faults: [{ game: 'nova', by: 'label', key: 'blunder', count: 2 }],
    is_capped: false,
  });

  it('are added up', async () => {
    const sent = mergedInsights(
      answer(insights(group('3', 2, 1), group('person', 1, 0))),
      answer(insights(group('3', 4, 1.5))),
      never,
    );
    const found = (await (await sent).json()) as Insights;
    expect(found.games).toBe(3);
    expect(found.groups).toEqual([group('3', 6, 2.5), group('person', 1, 0)]);
    expect(found.achieved[0]).toMatchObject({ total: 14, count: 2 });
    expect(found.faults).toEqual([{ game: 'nova', by: 'label', key: 'blunder', count: 4 }]);
    expect([found.reviewed_games, found.reviewed_turns]).toEqual([2, 20]);
  });
});
