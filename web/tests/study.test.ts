/** What replay and analysis are made of: links that hold games, variations, verdicts. */
import { describe, expect, it } from 'vitest';
import { EXAMPLE } from '../src/games/nova/example';
import { decodeRecord, encodeRecord } from '../src/lib/game/recordLink';
import { Variations, type Stop } from '../src/lib/game/variations.svelte';

const stop = (position: string, actions: string[] = []): Stop => ({
  position,
  view: {} as Stop['view'],
  legal: [],
  turn: actions.length ? { number: 1, seat: 0, actions, events: [] } : null,
});

describe('a game in a link', () => {
  it('comes out as it went in', async () => {
    const link = await encodeRecord(EXAMPLE);
    expect(link).toMatch(/^[\w-]+$/);
    expect(link?.length).toBeLessThan(1_500);
    expect(await decodeRecord(link ?? '')).toBe(EXAMPLE);
  });

  it('is refused when something is missing', async () => {
    const link = (await encodeRecord(EXAMPLE)) ?? '';
    await expect(decodeRecord(link.slice(0, -30))).rejects.toThrow();
    await expect(decodeRecord('%%%')).rejects.toThrow();
  });

  it('is not made when the game is too long for one', async () => {
    const noise = Array.from({ length: 12_000 }, (_, i) =>
      String.fromCharCode(33 + (((i * i * 31 + i * 7) % 9973) % 90)),
    ).join('');
    expect(await encodeRecord(noise)).toBeNull();
  });
});

describe('variations', () => {
  it('stay beside each other', () => {
    const tree = new Variations();
    tree.begin(stop('start'));
    tree.play(stop('a', ['@a1']));
    tree.play(stop('ab', ['@b1']));
    expect(tree.at).toBe(2);
    tree.look(0);
    tree.play(stop('c', ['@c1']));
    expect(tree.line.map((one) => one.position)).toEqual(['start', 'c']);
    tree.look(0);
    expect(tree.tried.map((turn) => turn.actions.join())).toEqual(['@a1', '@c1']);
    tree.take(0);
    expect(tree.stop?.position).toBe('a');
    expect(tree.line.map((one) => one.position)).toEqual(['start', 'a', 'ab']);
  });

  it('are not doubled by playing the same again', () => {
    const tree = new Variations();
    tree.begin(stop('start'));
    tree.play(stop('a', ['@a1']));
    tree.look(0);
    tree.play(stop('a', ['@a1']));
    tree.look(0);
    expect(tree.tried).toHaveLength(1);
  });
});
