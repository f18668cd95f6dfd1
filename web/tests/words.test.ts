/** How the end of a game is described. */
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { outcomeText, refusalText } from '../src/lib/game/words';
import { date, joined, labelled, setLanguage, speak, t } from '../src/lib/i18n/index.svelte';
import type { SeatView } from '../src/lib/net/types';

const seats = ['Ada', 'Bo', 'Cleo'].map(
  (name, seat) => ({ seat, name, kind: 'device', level: null, colour: 'red' }) as unknown as SeatView,
);

describe('the end of a game in words', () => {
  beforeAll(() => speak('board', 'common'));

  it('names one winner', () => {
    expect(outcomeText({ winners: [1], reason: 'divided' }, seats)).toBe(
      t('board.event.won', { name: 'Bo', reason: t('board.reason.divided') }),
    );
  });

  it('is a shared win when several players win, even if all of them do', () => {
    const all = outcomeText({ winners: [0, 1, 2], reason: 'towers' }, seats);
    expect(all).toBe(t('board.event.shared', { names: ['Ada', 'Bo', 'Cleo'], reason: t('board.reason.towers') }));
  });

  it('is a draw only when nobody wins', () => {
    expect(outcomeText({ winners: [], reason: 'limit' }, seats)).toBe(
      t('board.event.drawn', { reason: t('board.reason.limit') }),
    );
  });

  it('has a text for every reason that a record may name', () => {
    for (const reason of ['timeout', 'agreement', 'adjudicated', 'aborted'])
      expect(outcomeText({ winners: [], reason }, seats)).not.toContain('board.');
  });
});

describe('a refusal in words', () => {
  beforeAll(() => speak('common'));

  it('contains the values that the server sent', () => {
    const refused = { code: 'not-enough-points', message: '', facts: { facts: { cost: 3, left: 2 } } };
    expect(refusalText(refused)).toBe(t('common.error.not-enough-points.facts', { cost: 3, left: 2 }));
    expect(refusalText(refused)).toMatch(/3.*2/);
  });

  it('has a general text without them', () => {
    expect(refusalText({ code: 'not-enough-points', message: '' })).toBe(t('common.error.not-enough-points'));
  });
});

describe('texts that the page joins', () => {
  beforeAll(() => speak('common'));
  afterEach(() => setLanguage('en'));

  it('have a colon or semicolons between their parts', () => {
    expect(labelled('Terra Nova', 'French')).toBe('Terra Nova: French');
    expect(joined(['one', 'two', 'three'])).toBe('one; two; three');
  });

  it('have a narrow no-break space before the colon and the semicolon in French', async () => {
    await setLanguage('fr');
    expect(labelled('Terra Nova', 'Française')).toBe('Terra Nova\u202f: Française');
    expect(joined(['un', 'deux', 'trois'])).toBe('un\u202f; deux\u202f; trois');
  });

  it('are unchanged if there is only one part, and empty without any', () => {
    expect(joined(['one'])).toBe('one');
    expect(joined([])).toBe('');
  });
});

describe('a date', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each(['America/Los_Angeles', 'Pacific/Kiritimati'])('is the same in %s if it has no time', (zone) => {
    vi.stubEnv('TZ', zone);
    expect(date('2026-03-01')).toBe('Mar 1, 2026');
  });

  it('is in the reader’s time zone if it has a time', () => {
    vi.stubEnv('TZ', 'America/Los_Angeles');
    expect(date('2026-03-01T02:00:00Z')).toBe('Feb 28, 2026');
  });
});
