/** Studies: changes reach all editors, whatever the network does, and all end with the same study. */
import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest';
import { ROOT, TurnTree } from '../src/lib/game/tree';
import { speak } from '../src/lib/i18n/index.svelte';
import { api, Refused } from '../src/lib/net/client';
import { Live } from '../src/lib/net/live';
import { mergedStudies } from '../src/lib/net/localGames';
import {
  keptKeys,
  once,
  studies,
  type ChapterView,
  type OpenedChapter,
  type StudyMessage,
  type StudyView,
} from '../src/lib/net/studies';
import { transport } from '../src/lib/net/transport';
import { treeChange, type Batch, type StudyChange } from '../src/lib/studies/changes';
import { sourceOf } from '../src/lib/studies/ChapterForm.svelte';
import NewDialog from '../src/lib/studies/NewDialog.svelte';
import { OpenStudy } from '../src/lib/studies/study.svelte';
import { dropUnsent, lostStudies } from '../src/lib/studies/unsent';
import { addRecords, copyToServer, MOST_BYTES, recordsOf, studyOf } from '../src/lib/studies/upload';
import type { ReadTree, TryResult, View } from '../src/lib/net/types';
import { router } from '../src/lib/router.svelte';

const comment = (text: string, time: number, id = '1'): StudyChange => ({
  type: 'node',
  chapter: 'c',
  id,
  set: { comment: text },
  time,
  by: 'me',
});

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a pasted text', () => {
  it.each([
    ['https://example.org/g/abc-1?turn=3', { game_id: 'abc-1' }],
    ['[Game "nova"]\n1. @a1', { text: '[Game "nova"]\n1. @a1' }],
    [' turrium 2 11/11 0 flags ', { start: 'turrium 2 11/11 0 flags' }],
  ])('%s is recognised', (text, source) => expect(sourceOf(text)).toEqual(source));
});

describe('the list of studies', () => {
  const list = (...updated: string[]) =>
    Promise.resolve(Response.json({ studies: updated.map((one) => ({ id: one, updated: one })) }));
  const ids = async (response: Promise<Response>) =>
    ((await (await response).json()) as { studies: { id: string }[] }).studies.map(({ id }) => id);

  it('has those of the server and of this browser, the latest first', async () => {
    const local = () => list('2026-02');
    expect(await ids(mergedStudies(list('2026-03', '2026-01'), local(), local))).toEqual([
      '2026-03',
      '2026-02',
      '2026-01',
    ]);
    expect(await ids(mergedStudies(Promise.reject(new Error('offline')), null, local))).toEqual(['2026-02']);
  });

  it('has those of the server if this browser fails', async () => {
    const failed = Promise.reject(new Error('no Python'));
    expect(await ids(mergedStudies(list('2026-03'), failed, () => list()))).toEqual(['2026-03']);
  });
});

describe('a study that is copied to the server', () => {
  const chapters = ['c', 'd'].map((id, rank) => ({ id, name: id, game: 'third', rank, goal: '', hint: '' }));
  beforeEach(() => {
    vi.spyOn(studies, 'one').mockResolvedValue({ name: 'Study', chapters } as unknown as StudyView);
    vi.spyOn(studies, 'chapter').mockImplementation(() => Promise.resolve(new FakeServer().chapter()));
    vi.spyOn(studies, 'create').mockResolvedValue({ id: 'copy' } as StudyView);
  });

  it('is sent chapter by chapter', async () => {
    const add = vi.spyOn(studies, 'addChapter').mockResolvedValue({} as ChapterView);
    expect(await copyToServer('local-1')).toMatchObject({ id: 'copy' });
    expect(add.mock.calls.map(([id, { name }]) => [id, name])).toEqual([
      ['copy', 'c'],
      ['copy', 'd'],
    ]);
  });

  it('is continued if the connection broke, without a second one', async () => {
    vi.spyOn(studies, 'create').mockRestore();
    vi.spyOn(studies, 'addChapter').mockRestore();
    const lost = new Set([0, 2, 3]);
    const sent: [string, string][] = [];
    vi.spyOn(transport, 'send').mockImplementation((method, path, body) => {
      const place = sent.push([`${method} ${path}`, (body as { key?: string } | undefined)?.key ?? '']) - 1;
      if (lost.has(place)) return Promise.reject(new Error('no connection'));
      return Promise.resolve(Response.json({ id: 'copy' }));
    });
    await expect(copyToServer('local-1')).rejects.toMatchObject({ code: 'offline' });
    await expect(copyToServer('local-1')).rejects.toMatchObject({ code: 'offline' });
    await copyToServer('local-1');
    const keysOf = (request: string) => sent.filter(([one]) => one === request).map(([, key]) => key);
    expect(new Set(keysOf('POST /studies')).size).toBe(1);
    const chapters = keysOf('POST /studies/copy/chapters');
    expect(chapters).toHaveLength(3);
    expect(chapters[0]).toBe(chapters[1]);
    expect(chapters[2]).not.toBe(chapters[1]);
  });

  it('leaves nothing behind if a chapter is refused', async () => {
    vi.spyOn(studies, 'addChapter').mockRejectedValue(new Refused('too-large', '', 413));
    const remove = vi.spyOn(studies, 'remove').mockResolvedValue(undefined);
    await expect(copyToServer('local-1')).rejects.toMatchObject({ status: 413 });
    expect(remove).toHaveBeenCalledWith('copy');
  });

  it('begins again if the copy was deleted, but the answer to that was lost', async () => {
    const gone = new Refused('no-such-study', '', 404);
    const offline = new Refused('offline', '', 0);
    vi.spyOn(studies, 'create')
      .mockResolvedValueOnce({ id: 'deleted' } as StudyView)
      .mockResolvedValue({ id: 'copy' } as StudyView);
    vi.spyOn(studies, 'addChapter').mockImplementation((id) =>
      id === 'deleted' ? Promise.reject(gone) : Promise.resolve({} as ChapterView),
    );
    vi.spyOn(studies, 'remove').mockRejectedValueOnce(offline).mockRejectedValue(gone);
    await expect(copyToServer('local-2')).rejects.toBe(gone);
    await expect(copyToServer('local-2')).rejects.toBe(gone);
    expect(await copyToServer('local-2')).toMatchObject({ id: 'copy' });
  });
});

describe('a text with many records', () => {
  const record = (name: string, size = 0) => `[Game "nova"]\n[Chapter "${name}"]\n\n{${'x'.repeat(size)}}\n\n`;
  const large = [record('One', 150_000), record('Two \\"b\\"', 150_000), record('', 10)];

  it('is divided at the lines that begin a record', () => {
    expect(recordsOf(large.join(''))).toEqual(large);
    expect(recordsOf(`; note\n${large.join('')}`)).toEqual([`; note\n${large[0]}`, large[1], large[2]]);
    expect(recordsOf('[Seats "a"]\n')).toEqual(['[Seats "a"]\n']);
  });

  it('becomes a study in one request if it fits, otherwise chapter by chapter', async () => {
    const create = vi.spyOn(studies, 'create').mockResolvedValue({ id: 'made' } as StudyView);
    const add = vi.spyOn(studies, 'addChapter').mockResolvedValue({ id: 'c' } as ChapterView);
    const small = record('One') + record('Two');
    await studyOf('Study', 'Chapter', small);
    expect(create).toHaveBeenLastCalledWith('Study', [{ name: 'Chapter', source: { text: small } }]);
    expect(add).not.toHaveBeenCalled();
    expect(await studyOf('Study', 'Chapter', large.join(''))).toMatchObject({ id: 'made' });
    expect(create).toHaveBeenLastCalledWith('Study', []);
    expect(add.mock.calls).toEqual(
      ['One', 'Two "b"', 'Chapter (3)'].map((name, i) => ['made', { name, source: { text: large[i] } }]),
    );
  });

  it('is refused before anything is sent if one record is too large, with its name', async () => {
    const create = vi.spyOn(studies, 'create');
    const wrong = record('Long', MOST_BYTES) + record('Two');
    await expect(studyOf('Study', 'Chapter', wrong)).rejects.toMatchObject({
      code: 'chapter-size',
      facts: { facts: { name: 'Long' } },
    });
    expect(create).not.toHaveBeenCalled();
  });

  it('continues after a pause that the server asks for', async () => {
    vi.spyOn(studies, 'create').mockResolvedValue({ id: 'made' } as StudyView);
    const busy = new Refused('too-many-requests', '', 429, null, { retry_after: 5 });
    const add = vi
      .spyOn(studies, 'addChapter')
      .mockRejectedValueOnce(busy)
      .mockResolvedValue({ id: 'c' } as ChapterView);
    const made = studyOf('Study', 'Chapter', large.join(''));
    await vi.advanceTimersByTimeAsync(4000);
    expect(add).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(2000);
    await made;
    expect(add).toHaveBeenCalledTimes(4);
  });

  it('becomes chapters of a study; after an error the others are added', async () => {
    const add = vi
      .spyOn(studies, 'addChapter')
      .mockResolvedValueOnce({ id: '7' } as ChapterView)
      .mockRejectedValueOnce(new Refused('offline', '', 0))
      .mockResolvedValue({ id: '8' } as ChapterView);
    await expect(addRecords('s', 'Chapter', large.join(''), 64)).rejects.toMatchObject({ code: 'offline' });
    expect(await addRecords('s', 'Chapter', large.join(''), 64)).toBe('7');
    expect(add.mock.calls.map(([, { name }]) => name)).toEqual(['One', 'Two "b"', 'Two "b"', 'Chapter (3)']);
  });

  describe('with a record that is refused', () => {
    const text = ['One', 'Two', 'Wrong'].map((name) => record(name)).join('');
    const wrong = new Refused('illegal-action', '', 422);
    let shown: string[];
    beforeEach(() => {
      shown = [];
      let made = 0;
      vi.spyOn(studies, 'one').mockResolvedValue({ time: 41 } as StudyView);
      vi.spyOn(studies, 'addChapter').mockImplementation((_, { name }) => {
        if (name === 'Wrong') return Promise.reject(wrong);
        shown.push(`${name} ${++made}`);
        return Promise.resolve({ id: String(made) } as ChapterView);
      });
      vi.spyOn(studies, 'change').mockImplementation((_, { changes }) => {
        for (const change of changes) {
          expect(change).toMatchObject({ type: 'chapter', set: { is_hidden: true }, time: 42 });
          if (change.type === 'chapter') shown = shown.filter((one) => !one.endsWith(` ${change.id}`));
        }
        return Promise.resolve({ seq: 1 });
      });
    });

    it('leaves no chapters behind, and its correction adds each once', async () => {
      await expect(addRecords('t', 'Chapter', text, 64)).rejects.toBe(wrong);
      expect(shown).toEqual([]);
      expect(await addRecords('t', 'Chapter', text.replace('Wrong', 'Right'), 64)).toBe('3');
      expect(shown).toEqual(['One 3', 'Two 4', 'Right 5']);
    });

    it('is removed before the next text if the connection was lost', async () => {
      vi.mocked(studies.one).mockRejectedValueOnce(new Refused('offline', '', 0));
      await expect(addRecords('u', 'Chapter', text, 64)).rejects.toBe(wrong);
      expect(shown).toEqual(['One 1', 'Two 2']);
      await addRecords('u', 'Chapter', text.replace('Wrong', 'Right'), 64);
      expect(shown).toEqual(['One 3', 'Two 4', 'Right 5']);
    });
  });

  it('is refused before anything is sent if the study has no room for it', async () => {
    const add = vi.spyOn(studies, 'addChapter');
    const create = vi.spyOn(studies, 'create');
    const facts = { facts: { facts: { count: 3, room: 2 } } };
    await expect(addRecords('v', 'Chapter', large.join(''), 2)).rejects.toMatchObject(facts);
    const many = [...large, ...Array.from({ length: 62 }, () => record('More'))].join('');
    await expect(studyOf('Study', 'Chapter', many)).rejects.toMatchObject({ code: 'too-many-chapters' });
    expect(add).not.toHaveBeenCalled();
    expect(create).not.toHaveBeenCalled();
  });

  describe('that is ended while it is sent', () => {
    const ended = { name: 'AbortError' };
    const busy = new Refused('too-many-requests', '', 429, null, { retry_after: 20 });
    let ending: AbortController;
    beforeEach(() => {
      ending = new AbortController();
      vi.spyOn(studies, 'one').mockResolvedValue({ time: 41 } as StudyView);
      vi.spyOn(studies, 'create').mockResolvedValue({ id: 'made' } as StudyView);
      vi.spyOn(studies, 'remove').mockResolvedValue(undefined);
      vi.spyOn(studies, 'change').mockResolvedValue({ seq: 1 });
    });
    /** The ids of the chapters that were removed. */
    const removed = () =>
      vi.mocked(studies.change).mock.calls.flatMap(([, { changes }]) => changes.map((one) => 'id' in one && one.id));

    it('leaves no chapters, not even that of the request on its way', async () => {
      let made = 0;
      const add = vi.spyOn(studies, 'addChapter').mockImplementation(() => {
        if (++made === 2) ending.abort();
        return Promise.resolve({ id: String(made) } as ChapterView);
      });
      const onsent = vi.fn();
      const sending = { signal: ending.signal, onsent };
      await expect(addRecords('w', 'Chapter', large.join(''), 64, sending)).rejects.toMatchObject(ended);
      expect(onsent.mock.calls).toEqual([
        [0, 3],
        [1, 3],
        [2, 3],
      ]);
      expect(removed()).toEqual(['1', '2']);
      // The same text is added from its beginning.
      expect(await addRecords('w', 'Chapter', large.join(''), 64)).toBe('3');
      expect(add).toHaveBeenCalledTimes(5);
    });

    it('waits for no pause', async () => {
      const add = vi
        .spyOn(studies, 'addChapter')
        .mockResolvedValueOnce({ id: '1' } as ChapterView)
        .mockRejectedValue(busy);
      const sent = addRecords('x', 'Chapter', large.join(''), 64, { signal: ending.signal }).catch((e: unknown) => e);
      await vi.waitUntil(() => add.mock.calls.length === 2);
      ending.abort();
      expect(await sent).toMatchObject(ended);
      expect(removed()).toEqual(['1']);
      expect(add).toHaveBeenCalledTimes(2);
    });

    it.each([
      ['in one request', record('One')],
      ['chapter by chapter', large.join('')],
    ])('leaves no study: %s', async (_, text) => {
      const add = vi.spyOn(studies, 'addChapter').mockResolvedValue({ id: '1' } as ChapterView);
      vi.mocked(studies.create).mockImplementation(() => {
        ending.abort();
        return Promise.resolve({ id: 'made' } as StudyView);
      });
      await expect(studyOf('Study', 'Chapter', text, { signal: ending.signal })).rejects.toMatchObject(ended);
      expect(studies.remove).toHaveBeenCalledWith('made');
      expect(add).not.toHaveBeenCalled();
    });
  });

  describe('in the dialog', () => {
    const text = large.join('');
    let answer: (chapter: ChapterView) => void;
    let go: MockInstance;
    let dialog: Record<string, unknown>;
    const settled = () => vi.advanceTimersByTimeAsync(10);
    beforeEach(async () => {
      await speak('studies');
      vi.spyOn(api, 'meta').mockRejectedValue(new Refused('offline', '', 0));
      go = vi.spyOn(router, 'go').mockImplementation(() => undefined);
      vi.spyOn(studies, 'create').mockResolvedValue({ id: 'made' } as StudyView);
      vi.spyOn(studies, 'remove').mockResolvedValue(undefined);
      vi.spyOn(studies, 'addChapter').mockImplementation(() => new Promise((done) => (answer = done)));
      dialog = mount(NewDialog, { target: document.body, props: { onclose: () => undefined } });
      flushSync();
      const fields = () => [...document.querySelectorAll<HTMLInputElement>('input, textarea')];
      const set = (field: HTMLInputElement | undefined, value: string) => {
        if (field) field.value = value;
        field?.dispatchEvent(new Event('input', { bubbles: true }));
      };
      set(fields()[0], 'Study');
      fields()
        .find(({ value }) => value === 'paste')
        ?.click();
      flushSync();
      set(
        fields().find(({ tagName }) => tagName === 'TEXTAREA'),
        text,
      );
      flushSync();
      document.querySelector('form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
      await settled();
    });
    afterEach(() => {
      document.body.innerHTML = '';
    });

    it('shows how many chapters were sent, and leads to the study', async () => {
      const status = () => document.querySelector('[role=status]')?.textContent;
      expect(status()).toBe('0 of 3 chapters sent');
      for (const shown of ['1 of 3 chapters sent', '2 of 3 chapters sent']) {
        answer({ id: 'c' } as ChapterView);
        await settled();
        expect(status()).toBe(shown);
      }
      answer({ id: 'c' } as ChapterView);
      await settled();
      expect(go).toHaveBeenCalledWith('/study/made');
      await unmount(dialog);
    });

    it('leads nowhere if the dialog was closed', async () => {
      await unmount(dialog);
      answer({ id: 'c' } as ChapterView);
      await settled();
      expect(studies.addChapter).toHaveBeenCalledTimes(1);
      expect(studies.remove).toHaveBeenCalledWith('made');
      expect(go).not.toHaveBeenCalled();
    });
  });
});

describe('a request that makes something', () => {
  const study = { id: 's' };
  const chapter = { name: 'One', source: { start: 'x' } };
  /** The keys of the requests that were sent, in order. */
  function sent(...answers: (Response | null)[]): string[] {
    const keys: string[] = [];
    vi.spyOn(transport, 'send').mockImplementation((_, path, body) => {
      const inAddress = new URL(path, 'http://x').searchParams.get('key');
      keys.push(inAddress ?? (body as { key?: string }).key ?? '');
      const answer = answers.shift();
      return answer ? Promise.resolve(answer) : Promise.reject(new Error('no connection'));
    });
    return keys;
  }

  it.each([
    ['a study', () => studies.create('Study', [chapter])],
    ['a chapter', () => studies.addChapter('s', chapter)],
    ['a copy', () => studies.copy('s')],
  ])('has the same key when it is repeated: %s', async (_, make) => {
    const keys = sent(null, Response.json({ code: 'outcome-unknown' }, { status: 503 }), Response.json(study));
    await expect(make()).rejects.toThrow();
    await expect(make()).rejects.toThrow();
    expect(await make()).toEqual(study);
    expect(keys[0]).toMatch(/^[!-~]{8,64}$/);
    expect(new Set(keys).size).toBe(1);
  });

  it('has another key once it was answered, and if it asks for something else', async () => {
    const keys = sent(Response.json(study), Response.json(study), null, Response.json(study));
    await studies.copy('s');
    await studies.copy('s');
    await expect(studies.create('One', [])).rejects.toThrow();
    await studies.create('Two', []);
    expect(new Set(keys).size).toBe(4);
  });
});

/** A server with one study: it stores changes and sends them to all listeners whose network is up. */
class FakeServer {
  readonly changes: StudyChange[] = [];
  readonly keys = new Set<string>();
  readonly listeners = new Map<(message: StudyMessage) => void, () => boolean>();
  private readonly tree = TurnTree.from(
    { head: { game: 'third' }, nodes: [{ id: '1', parent: '', actions: ['@a1'], comment: '', before: '' }] },
    'server',
  );

  view(): StudyView {
    const chapters = ['c', 'd'].map((id, rank) => ({ id, name: id, game: 'third', rank, goal: '', hint: '' }));
    for (const change of this.changes)
      if (change.type === 'chapter') Object.assign(chapters.find(({ id }) => id === change.id) ?? {}, change.set);
    const time = Math.max(0, ...this.changes.map((change) => change.time));
    const seq = this.changes.length;
    return { id: 's', name: 'Study', access: 'editor', visibility: 'private', seq, time, chapters, editors: 1 };
  }

  chapter(): OpenedChapter {
    const data = this.tree.data();
    const view = { game: 'third', to_move: 0, at_turn_start: true, outcome: null } as unknown as View;
    const nodes = data.nodes.map(({ id }, i) => ({
      id,
      kind: 'turn',
      number: i + 1,
      seat: 0,
      events: [],
      view,
      position: `after ${id}`,
    }));
    const read = { tree: data, text: '', game: 'third', rules: {}, board: null, seats: ['', ''] };
    return {
      seq: this.changes.length,
      stored: structuredClone(this.tree.store()),
      read: { ...read, start: 's', start_view: view, nodes, outcome: null } as unknown as ReadTree,
    };
  }

  take({ key, changes }: Batch): void {
    if (this.keys.has(key)) return;
    this.keys.add(key);
    this.changes.push(...structuredClone(changes));
    this.tree.apply(changes.filter((change) => change.type === 'node').map(treeChange));
    for (const [listener, isThere] of this.listeners)
      if (isThere()) listener({ type: 'changes', seq: this.changes.length, changes: structuredClone(changes) });
  }
}

describe('two editors of a study', () => {
  let server: FakeServer;
  /** The editors whose network is down. */
  const down = new Set<number>();
  let who = 0;
  const connections: { listener: (message: StudyMessage) => void; onstate: (state: 'open' | 'lost') => void }[] = [];

  beforeEach(() => {
    server = new FakeServer();
    down.clear();
    connections.length = 0;
    const asked = <T>(answer: () => T): Promise<T> =>
      down.has(who) ? Promise.reject(new Refused('offline', '', 0)) : Promise.resolve(answer());
    vi.spyOn(api, 'tryPosition').mockRejectedValue(new Refused('offline', '', 0));
    vi.spyOn(studies, 'one').mockImplementation(() => asked(() => server.view()));
    vi.spyOn(studies, 'chapter').mockImplementation(() => asked(() => server.chapter()));
    vi.spyOn(studies, 'change').mockImplementation((_, batch) => {
      const mine = batch.changes[0]?.by ?? '';
      const isDown = [...down].some((one) => editors[one]?.names.has(mine));
      if (isDown) return Promise.reject(new Refused('offline', '', 0));
      server.take(batch);
      return Promise.resolve({ seq: server.changes.length });
    });
    vi.spyOn(Live.prototype as unknown as { connect: () => void }, 'connect').mockImplementation(function (
      this: unknown,
    ) {
      const live = this as {
        onmessage: (message: StudyMessage) => void;
        onstate: (state: 'open' | 'lost') => void;
      };
      const place = who;
      connections[place] = { listener: live.onmessage, onstate: live.onstate };
      server.listeners.set(live.onmessage, () => !down.has(place));
      live.onstate('open');
    });
  });

  const editors: { study: OpenStudy; names: Set<string> }[] = [];
  async function open(place: number): Promise<OpenStudy> {
    who = place;
    const study = new OpenStudy('s');
    editors[place] = { study, names: new Set() };
    await study.open(null);
    await study.look('c');
    const { names } = editors[place];
    names.add(study['by']);
    names.add(study.board.tree.now.by);
    return study;
  }

  it('see each other’s changes, and one who was offline loses nothing', async () => {
    const [first, second] = [await open(0), await open(1)];
    first.board.look('1');
    first.board.comment('from the first');
    await vi.runAllTimersAsync();
    expect(second.board.tree.now.node('1').comment).toBe('from the first');

    down.add(1);
    connections[1]?.onstate('lost');
    second.board.look('1');
    second.board.glyph(3);
    second.setChapter('c', { name: 'Renamed' });
    first.board.comment('meanwhile');
    await vi.advanceTimersByTimeAsync(3_000);
    expect(second.saving).toBe('waiting');
    expect(second.chapters[0]?.name).toBe('Renamed');
    expect(first.board.node.glyphs).toEqual([]);
    expect(second.board.node.comment).toBe('from the first');

    const missed = server.changes.slice(1);
    down.clear();
    who = 1;
    connections[1]?.listener({ type: 'changes', seq: server.changes.length, changes: missed });
    connections[1]?.onstate('open');
    await vi.runAllTimersAsync();
    for (const study of [first, second]) {
      expect(study.board.tree.now.node('1')).toMatchObject({ comment: 'meanwhile', glyphs: [3] });
      expect(study.chapters[0]?.name).toBe('Renamed');
      expect(study.saving).toBe('saved');
    }
    expect(Object.keys(localStorage)).toEqual([]);
  });

  it('send after a reload what they wrote while the server did not answer', async () => {
    const before = await open(0);
    down.add(0);
    before.board.look('1');
    before.board.comment('kept');
    await vi.advanceTimersByTimeAsync(500);
    before.close();
    expect(server.changes).toEqual([]);
    down.clear();
    const after = await open(0);
    expect(after.board.tree.now.node('1').comment).toBe('kept');
    await vi.runAllTimersAsync();
    expect(server.changes).toMatchObject([{ set: { comment: 'kept' } }]);
    expect(Object.keys(localStorage)).toEqual([]);
  });

  it('keep unsent changes while they may only read', async () => {
    const before = await open(0);
    down.add(0);
    before.board.look('1');
    before.board.comment('kept');
    await vi.advanceTimersByTimeAsync(500);
    before.close();
    down.clear();
    const view = server.view();
    const asReader = vi.spyOn(studies, 'one').mockResolvedValue({ ...view, access: 'reader' });
    const reader = await open(0);
    await vi.runAllTimersAsync();
    expect(reader.canEdit).toBe(false);
    expect(server.changes).toEqual([]);
    reader.close();
    asReader.mockResolvedValue(view);
    await open(0);
    await vi.runAllTimersAsync();
    expect(server.changes).toMatchObject([{ set: { comment: 'kept' } }]);
  });

  it('merge changes that arrive while a chapter is being loaded', async () => {
    const study = await open(0);
    let answer: (chapter: OpenedChapter) => void = () => undefined;
    const old = server.chapter();
    vi.spyOn(studies, 'chapter').mockImplementation(() => new Promise((done) => (answer = done)));
    const looking = study.look('c');
    server.take({ key: 'other', changes: [{ ...comment('heard', 9), by: 'other' }] });
    answer(old);
    await looking;
    expect(study.board.tree.now.node('1').comment).toBe('heard');
  });

  it('stay on the chapter that they chose last, although another one could not be read', async () => {
    const study = await open(0);
    down.add(0);
    await study.look('c');
    expect(study.problem?.code).toBe('offline');
    down.clear();
    await study.look('d');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(study.shown).toBe('d');
    expect(study.problem).toBeNull();
  });

  it('receive what was written right before the other left the study', async () => {
    const [first, second] = [await open(0), await open(1)];
    first.board.look('1');
    first.board.comment('the last word');
    first.close();
    await vi.runAllTimersAsync();
    expect(second.board.tree.now.node('1').comment).toBe('the last word');
    expect(Object.keys(localStorage)).toEqual([]);
  });

  it('send what is pending when the page is hidden', async () => {
    const study = await open(0);
    study.board.look('1');
    study.board.comment('the last word');
    dispatchEvent(new Event('pagehide'));
    await vi.advanceTimersByTimeAsync(0);
    expect(server.changes).toMatchObject([{ set: { comment: 'the last word' } }]);
    expect(studies.change).toHaveBeenLastCalledWith('s', expect.anything(), true);
  });

  it('can continue playing when the connection is back', async () => {
    const study = await open(0);
    await vi.runAllTimersAsync();
    expect(study.board.facts).toBeNull();
    const found = { legal: [] } as unknown as TryResult;
    vi.mocked(api.tryPosition).mockResolvedValue(found);
    connections[0]?.onstate('open');
    await vi.runAllTimersAsync();
    expect(study.board.facts).toBe(found);
  });

  it('request only the positions that they do not know', async () => {
    const [first, second] = [await open(0), await open(1)];
    const ask = vi.spyOn(api, 'tree').mockRejectedValue(new Refused('offline', '', 0));
    first.board.look('1');
    first.board.comment('a long text');
    const other = first.board.tree.now.add(ROOT, ['@b1']);
    await vi.runAllTimersAsync();
    expect(second.board.tree.now.has(other)).toBe(true);
    const nodes = ask.mock.calls.at(-1)?.[0].tree?.nodes;
    expect(nodes).toEqual([{ id: other, parent: ROOT, actions: ['@b1'], comment: '', before: '' }]);
  });

  it('discard their changes only when the study can be read without them', async () => {
    const study = await open(0);
    vi.mocked(studies.change).mockRejectedValueOnce(new Refused('forbidden', '', 403));
    study.board.look('1');
    study.board.comment('refused');
    await vi.advanceTimersByTimeAsync(500);
    expect(study.saving).toBe('refused');
    down.add(0);
    await study.discard();
    expect(study.problem?.code).toBe('offline');
    expect(study.saving).toBe('refused');
    expect(study.board.node.comment).toBe('refused');
    down.clear();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(study.problem).toBeNull();
    expect(study.saving).toBe('saved');
    expect(study.board.node.comment).toBe('');
  });

  it('continue from the latest time in the changes of an earlier visit', async () => {
    const left = { type: 'study', set: { name: 'Earlier' }, time: 40, by: 'earlier' } as const;
    localStorage.setItem('terrarium.sending.study.s.earlier', JSON.stringify({ sending: null, waiting: [left] }));
    vi.mocked(studies.change).mockRejectedValueOnce(new Refused('offline', '', 0));
    const study = await open(0);
    study.rename('Later');
    await vi.runAllTimersAsync();
    expect(server.changes.map(({ time }) => time)).toEqual([40, 41]);
  });

  it('do not reconnect to a study that was deleted, and store nothing of one that they delete', async () => {
    const study = await open(0);
    const close = vi.spyOn(Live.prototype, 'close');
    connections[0]?.listener({ type: 'gone' });
    expect(close).toHaveBeenCalledOnce();
    down.add(0);
    study.board.look('1');
    study.board.comment('never sent');
    await vi.advanceTimersByTimeAsync(500);
    expect(Object.keys(localStorage)).toHaveLength(1);
    vi.spyOn(studies, 'remove').mockResolvedValue(undefined);
    await study.remove();
    study.close();
    expect(Object.keys(localStorage)).toEqual([]);
  });

  it('are told what was never saved of a study that somebody else deleted, and can discard it', async () => {
    const left = { type: 'study', set: { name: 'Earlier' }, time: 40, by: 'earlier' } as const;
    localStorage.setItem('terrarium.sending.study.s.earlier', JSON.stringify({ sending: null, waiting: [left, left] }));
    vi.spyOn(studies, 'one').mockRejectedValue(new Refused('no-such-study', '', 404));
    const study = new OpenStudy('s');
    await study.open(null);
    expect(study.problem?.status).toBe(404);
    expect(study.unsent).toBe(2);
    study.forget();
    expect(study.unsent).toBe(0);
    expect(Object.keys(localStorage)).toEqual([]);
    study.close();
  });

  it('are told the same if it is deleted while they have it open', async () => {
    const study = await open(0);
    down.add(0);
    study.board.look('1');
    study.board.comment('never sent');
    await vi.advanceTimersByTimeAsync(500);
    connections[0]?.listener({ type: 'gone' });
    expect([study.isGone, study.unsent]).toEqual([true, 1]);
    study.forget();
    study.close();
    await vi.runAllTimersAsync();
    expect(study.unsent).toBe(0);
    expect(Object.keys(localStorage)).toEqual([]);
  });

  it('find all studies whose changes can no longer be saved', async () => {
    const queue = (count: number) => JSON.stringify({ sending: null, waiting: Array(count).fill(comment('x', 1)) });
    localStorage.setItem('terrarium.sending.study.gone.a', queue(2));
    localStorage.setItem('terrarium.sending.study.gone.b', queue(1));
    localStorage.setItem('terrarium.sending.study.there.a', queue(1));
    localStorage.setItem('terrarium.sending.study.away.a', queue(1));
    vi.spyOn(studies, 'one').mockImplementation((id) =>
      id === 'there' ? Promise.resolve(server.view()) : Promise.reject(new Refused('x', '', id === 'gone' ? 404 : 0)),
    );
    expect(await lostStudies()).toEqual([{ id: 'gone', count: 3 }]);
    dropUnsent('gone');
    expect(Object.keys(localStorage).sort()).toEqual([
      'terrarium.sending.study.away.a',
      'terrarium.sending.study.there.a',
    ]);
  });

  it('keep what others played after a turn or said about it, although it is undone', async () => {
    const [first, second] = [await open(0), await open(1)];
    vi.spyOn(api, 'tree').mockRejectedValue(new Refused('offline', '', 0));
    const mine = first.board.tree.now.add('1', ['@b1']);
    const alone = first.board.tree.now.add('1', ['@c1']);
    await vi.runAllTimersAsync();
    const theirs = second.board.tree.now.add(mine, ['@d1']);
    await vi.runAllTimersAsync();
    first.board.undo();
    expect(first.board.tree.now.has(alone)).toBe(false);
    expect(first.board.canUndo).toBe(false);
    first.board.undo();
    await vi.runAllTimersAsync();
    for (const study of [first, second]) expect(study.board.tree.now.has(theirs)).toBe(true);
  });

  it('see that somebody else deleted the line they are in, and can bring it back', async () => {
    const [first, second] = [await open(0), await open(1)];
    first.board.look('1');
    second.board.look('1');
    second.board.remove();
    await vi.runAllTimersAsync();
    expect(first.board.at).toBe(ROOT);
    expect(first.board.lost).toBe('1');
    expect(second.board.lost).toBeNull();
    first.board.restore();
    await vi.runAllTimersAsync();
    expect([first.board.at, first.board.lost]).toEqual(['1', null]);
    expect(second.board.tree.now.has('1')).toBe(true);
  });

  it('move chapters', async () => {
    const study = await open(0);
    study.moveChapter('d', -1);
    expect(study.chapters.map(({ id }) => id)).toEqual(['d', 'c']);
    await vi.runAllTimersAsync();
    expect(study.chapters.map(({ id }) => id)).toEqual(['d', 'c']);
    study.setChapter('d', { is_hidden: true });
    expect(study.chapters.map(({ id }) => id)).toEqual(['c']);
  });
});

describe('the keys of requests that make something', () => {
  it('are the same again after a lost answer, dropped after a refusal, and few', async () => {
    const sent: string[] = [];
    const failing = (status: number) => (key: string) => {
      sent.push(key);
      return Promise.reject(new Refused('x', 'x', status));
    };
    const fine = (key: string) => {
      sent.push(key);
      return Promise.resolve(key);
    };
    const before = keptKeys();
    for (const status of [503, 0]) {
      sent.length = 0;
      await expect(once({ status }, failing(status))).rejects.toThrow();
      expect(await once({ status }, fine)).toBe(sent[0]);
      expect(keptKeys()).toBe(before);
    }
    for (const status of [409, 413, 422, 429]) {
      sent.length = 0;
      await expect(once({ status }, failing(status))).rejects.toThrow();
      expect(keptKeys()).toBe(before);
      await once({ status }, fine);
      expect(sent[0]).not.toBe(sent[1]);
    }
    for (let number = 0; number < 100; number++) await once({ number }, failing(0)).catch(() => undefined);
    expect(keptKeys()).toBeLessThan(20);
  });
});
