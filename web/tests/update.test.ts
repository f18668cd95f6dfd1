/** A new version of the page: when a tab asks, when it reloads, and when it must not. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

class FakeContainer extends EventTarget {
  controller: { postMessage(message: unknown): void } | null = { postMessage: () => undefined };
  readonly registration = Object.assign(new EventTarget(), {
    installing: null,
    waiting: null as { postMessage(message: unknown): void } | null,
    update: vi.fn(() => Promise.resolve()),
  });
  register = () => Promise.resolve(this.registration);
}

let container: FakeContainer;
let visible: DocumentVisibilityState;
/** What listens to `visibilitychange`, without the listeners of earlier tests. */
let listeners: (() => void)[];
const reload = vi.fn();

async function opened(options: { isFirstVisit?: boolean } = {}) {
  if (options.isFirstVisit) container.controller = null;
  const net = await import('../src/lib/net/tab.svelte');
  const offline = await import('../src/lib/tab/offline.svelte');
  const unsaved = await import('../src/lib/tab/unsaved');
  await offline.stayOffline();
  return { ...offline, ...unsaved, storage: net.storage };
}

const show = (state: DocumentVisibilityState) => {
  visible = state;
  for (const listener of listeners) listener();
};
const activate = () => container.dispatchEvent(new Event('controllerchange'));

beforeEach(() => {
  vi.resetModules();
  vi.stubGlobal('Worker', class {});
  container = new FakeContainer();
  visible = 'visible';
  listeners = [];
  vi.spyOn(document, 'addEventListener').mockImplementation((type: string, listener: unknown) => {
    if (type === 'visibilitychange') listeners.push(listener as () => void);
  });
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined, removeItem: () => undefined });
  Object.defineProperty(navigator, 'serviceWorker', { value: container, configurable: true });
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visible);
  vi.stubGlobal('location', { ...location, href: 'http://localhost/', reload });
  reload.mockReset();
  document.body.innerHTML = '';
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('the tab that asks for the new version', () => {
  it('activates it and reloads when it is active', async () => {
    const messages: unknown[] = [];
    container.registration.waiting = { postMessage: (message) => messages.push(message) };
    const { update, useUpdate } = await opened();
    expect(update.isReady).toBe(true);
    useUpdate();
    expect(messages).toEqual(['update']);
    expect(reload).not.toHaveBeenCalled();
    activate();
    expect(reload).toHaveBeenCalledOnce();
  });
});

describe('another tab', () => {
  it('asks while somebody looks at it and reloads when it is hidden', async () => {
    const { update, isOutdated } = await opened();
    expect(isOutdated()).toBe(false);
    activate();
    expect([update.isActive, isOutdated()]).toEqual([true, true]);
    expect(reload).not.toHaveBeenCalled();
    show('hidden');
    expect(reload).toHaveBeenCalledOnce();
  });

  it('reloads at once if it is hidden', async () => {
    await opened();
    show('hidden');
    activate();
    expect(reload).toHaveBeenCalledOnce();
  });

  it('does not take the service worker of a first visit for a new version', async () => {
    const { update } = await opened({ isFirstVisit: true });
    show('hidden');
    activate();
    expect(update.isActive).toBe(false);
    activate();
    expect(update.isActive).toBe(true);
  });

  it.each(['a field with text', 'an open dialog', 'a draft', 'games in memory', 'storage that is full'])(
    'never reloads by itself with %s',
    async (what) => {
      const { guard, storage } = await opened();
      let end: () => unknown;
      if (what === 'a field with text') {
        document.body.innerHTML = '<textarea></textarea>';
        const field = document.querySelector('textarea') as HTMLTextAreaElement;
        field.value = 'a thought';
        field.dispatchEvent(new Event('input', { bubbles: true }));
        end = () => (field.value = ' ');
      } else if (what === 'an open dialog') {
        document.body.innerHTML = '<dialog open></dialog>';
        end = () => (document.body.innerHTML = '');
      } else if (what === 'a draft') end = guard(() => true);
      else if (what === 'games in memory') {
        storage.isKept = false;
        end = () => (storage.isKept = true);
      } else {
        let isFull = true;
        vi.stubGlobal('localStorage', {
          setItem: () => {
            if (isFull) throw new DOMException('full', 'QuotaExceededError');
          },
        });
        (await import('../src/lib/game/storage')).keep('terrarium.draft.a', 1);
        end = () => (isFull = false);
      }
      activate();
      show('hidden');
      expect(reload).not.toHaveBeenCalled();
      end();
      show('visible');
      show('hidden');
      expect(reload).toHaveBeenCalledOnce();
    },
  );
});

it('asks for a new version when a tab that was open for an hour is shown again', async () => {
  const now = vi.spyOn(Date, 'now').mockReturnValue(0);
  await opened();
  const { update } = container.registration;
  for (const [minutes, requests] of [
    [59, 0],
    [61, 1],
    [90, 1],
    [122, 2],
  ] as const) {
    now.mockReturnValue(minutes * 60_000);
    show('hidden');
    show('visible');
    expect(update).toHaveBeenCalledTimes(requests);
  }
});
