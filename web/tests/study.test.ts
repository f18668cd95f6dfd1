/** Links that contain games, for replay and analysis. */
import { describe, expect, it } from 'vitest';
import { EXAMPLE } from '../src/games/nova/example';
import { decodeRecord, encodeRecord } from '../src/lib/game/recordLink';

describe('a game in a link', () => {
  it('is unchanged after encoding and decoding', async () => {
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
