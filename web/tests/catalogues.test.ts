/** Every text exists in every language, is used, and has the same values to fill in. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { GAMES } from '../src/games/index.svelte';
import { has, setLanguage, speak, type Language } from '../src/lib/i18n/index.svelte';
import type { Chapter, Step } from '../src/lib/learn/types';

const SOURCE = join(import.meta.dirname, '../src');
const LOCALES = join(SOURCE, 'locales');
const LANGUAGES = ['en', 'fr', 'nl', 'sv', 'de', 'it'];

type Catalogue = Record<string, string>;

function catalogue(language: string): Catalogue {
  const texts: Catalogue = {};
  for (const file of readdirSync(join(LOCALES, language)).filter((name) => name.endsWith('.json'))) {
    const area = file.replace('.json', '');
    const read = JSON.parse(readFileSync(join(LOCALES, language, file), 'utf8')) as Catalogue;
    for (const [key, text] of Object.entries(read)) texts[`${area}.${key}`] = text;
  }
  return texts;
}

function sources(folder = SOURCE): string {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === 'locales' ? '' : sources(path);
      return /\.(ts|svelte)$/.test(entry.name) ? readFileSync(path, 'utf8') : '';
    })
    .join('\n');
}

function values(text: string): string[] {
  return [
    ...new Set([...text.matchAll(/(?<!(?:\bone|\bother|=\d+) )\{(\w+)(?=[},])/g)].map((found) => found[1] as string)),
  ].sort();
}

const english = catalogue('en');
const areas = [...new Set(Object.keys(english).map((key) => key.split('.')[0] as string))];
const code = sources();
const literals = new Set(
  [...code.matchAll(/['"`]([a-z]+(?:-[a-z]+)?\.[\w.-]+)['"`]/g)].map((found) => found[1] as string),
);
const prefixes = [
  ...new Set([...code.matchAll(/`([a-z]+(?:-[a-z]+)?\.[\w.-]*)\$\{/g)].map((found) => found[1] as string)),
].filter((prefix) => areas.includes(prefix.split('.')[0] as string) && prefix.indexOf('.') < prefix.length - 1);

/** The keys of learn texts come from the data: rules, figures and steps. */
function learned(area: string, book: readonly Chapter[]): string[] {
  return book.flatMap((chapter) => [
    `${area}.chapter.${chapter.id}`,
    `${area}.chapter.${chapter.id}.intro`,
    ...chapter.rules.map((rule) => `${area}.rule.${rule}`),
    ...Object.keys(chapter.readings ?? {}).map((rule) => `${area}.ruling.${rule}`),
    ...chapter.figures.map((figure) => `${area}.figure.${figure.id}`),
    ...(chapter.tips ?? []).map((tip) => `${area}.tip.${tip}`),
    ...(chapter.faq ?? []).flatMap((question) => [`${area}.faq.${question}.q`, `${area}.faq.${question}.a`]),
  ]);
}
function taught(area: string, lesson: readonly Step[]): string[] {
  return lesson.flatMap((step) => ['title', 'text', 'done', 'wrong'].map((part) => `${area}.${step.id}.${part}`));
}
const named = new Set<string>();
for (const game of GAMES) {
  for (const key of learned(`learn-${game.name}`, await game.book())) named.add(key);
  for (const part of ['goal', 'setup', 'turn', 'score', 'end']) named.add(`learn-${game.name}.summary.${part}`);
  for (const key of taught(`lesson-${game.name}`, await game.lesson())) named.add(key);
  for (const { label, values } of game.looks ?? []) for (const value of values) named.add(`${label}.${value}`);
}

describe('the English catalogue', () => {
  it('has every text that the page names', () => {
    const missing = [...literals, ...named].filter(
      (key) => areas.includes(key.split('.')[0] as string) && !(key in english) && !key.endsWith('.json'),
    );
    expect(missing).toEqual([]);
  });

  it('has texts under every prefix that the page builds keys from', () => {
    expect(prefixes.filter((prefix) => !Object.keys(english).some((key) => key.startsWith(prefix)))).toEqual([]);
  });

  it('has no text that nothing uses', () => {
    const unused = Object.keys(english).filter(
      (key) => !literals.has(key) && !named.has(key) && !prefixes.some((prefix) => key.startsWith(prefix)),
    );
    expect(unused).toEqual([]);
  });
});

describe.each(LANGUAGES.slice(1))('the catalogue in %s', (language) => {
  const texts = catalogue(language);

  it('has the same keys as the English one', () => {
    expect(
      Object.keys(english).filter((key) => !(key in texts)),
      'missing',
    ).toEqual([]);
    expect(
      Object.keys(texts).filter((key) => !(key in english)),
      'too many',
    ).toEqual([]);
  });

  it('fills in the same values', () => {
    const differ = Object.keys(texts).filter(
      (key) => key in english && values(texts[key] as string).join() !== values(english[key] as string).join(),
    );
    expect(differ).toEqual([]);
  });

  it('has no empty text', () => {
    expect(Object.keys(texts).filter((key) => !(texts[key] as string).trim())).toEqual([]);
  });
});

describe.each(LANGUAGES)('a reader of %s', (language) => {
  afterAll(() => setLanguage('en'));
  it('gets every text of every area', async () => {
    await setLanguage(language as Language);
    await speak(...areas);
    expect(Object.keys(english).filter((key) => !has(key))).toEqual([]);
  });
});

/** Typography by language: a pattern that no text may match, and the rule behind it. */
const TYPOGRAPHY: Record<string, [RegExp, string][]> = {
  en: [[/[«»„]/, 'quotes are “ ”']],
  fr: [
    [/(?<!\u202f)[;:!?»](?![^{]*\})/, 'a narrow no-break space before ; : ! ? »'],
    [/«(?!\u202f)/, 'a narrow no-break space after «'],
    [/[“”„]/, 'quotes are « »'],
  ],
  nl: [[/[“”„«»]/, 'quotes are ‘ ’']],
  sv: [[/[“„«»‘]/, 'quotes are ” ”']],
  de: [[/[”«»‘]/, 'quotes are „ “']],
  it: [
    [/[“”„‘]/, 'quotes are « »'],
    [/\s[;:!?»%](?![^{]*\})|«\s/, 'no space before ; : ! ? » % nor after «'],
  ],
};

describe.each(LANGUAGES)('the files in %s', (language) => {
  it('have every key once', () => {
    const twice = readdirSync(join(LOCALES, language)).flatMap((file) => {
      const lines = readFileSync(join(LOCALES, language, file), 'utf8').split('\n');
      const keys = lines.flatMap((line) => /^ {2}"([^"]+)":/.exec(line)?.[1] ?? []);
      return keys.filter((key, place) => keys.indexOf(key) !== place).map((key) => `${file} ${key}`);
    });
    expect(twice).toEqual([]);
  });
});

describe.each(LANGUAGES)('the punctuation in %s', (language) => {
  it('follows the rules of the language', () => {
    const everywhere: [RegExp, string][] = [
      [/['"]/, 'no straight quotes or apostrophes'],
      [/\.\.\./, 'an ellipsis is one sign'],
      [/ {2}|^ | $/, 'no stray spaces'],
    ];
    const wrong = Object.entries(catalogue(language)).flatMap(([key, text]) =>
      [...everywhere, ...(TYPOGRAPHY[language] ?? [])].flatMap(([sign, rule]) =>
        sign.test(text) ? [`${key}: ${rule}`] : [],
      ),
    );
    expect(wrong).toEqual([]);
  });
});

describe.each(['de', 'it'])('the reasons of the coach in %s', (language) => {
  it('name the player in parentheses, because “you” has another form after a preposition', () => {
    const wrong = Object.entries(catalogue(language)).filter(
      ([key, text]) => key.startsWith('reason.fault.') && /(?<!\()\{name\}/.test(text),
    );
    expect(wrong).toEqual([]);
  });
});
