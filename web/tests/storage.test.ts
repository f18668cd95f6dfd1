/** Values in a browser's storage, even if it is full or blocked. */
import { beforeEach, expect, it, vi } from 'vitest';
import { keep, kept } from '../src/lib/game/storage';

const items = new Map<string, string>();
let isFull = false;
vi.stubGlobal('localStorage', {
  getItem: (key: string) => items.get(key) ?? null,
  removeItem: (key: string) => items.delete(key),
  setItem: (key: string, value: string) => {
    if (isFull) throw new DOMException('full', 'QuotaExceededError');
    items.set(key, value);
  },
});

beforeEach(() => {
  isFull = true;
});

it('keeps an unsent turn although storage throws', () => {
  keep('terrarium.sending.a', { actions: ['@e7'] });
  expect(kept('terrarium.sending.a')).toEqual({ actions: ['@e7'] });
  keep('terrarium.sending.a', null);
  expect(kept('terrarium.sending.a')).toBeNull();
});

it('writes a value later if it could not be written at first', () => {
  keep('terrarium.draft.b', 1);
  isFull = false;
  keep('terrarium.draft.c', 2);
  expect(items.get('terrarium.draft.b')).toBe('1');
});
