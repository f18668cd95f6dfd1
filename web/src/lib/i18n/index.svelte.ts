/** Texts in the reader's language. Catalogues are split by area and fetched when a screen needs them; the first screens share a file. */

import { settings } from '../settings.svelte';
import { format, type Values } from './format';

export const LANGUAGES = {
  en: 'English',
  fr: 'Français',
  nl: 'Nederlands',
  sv: 'Svenska',
  de: 'Deutsch',
  it: 'Italiano',
} as const;
export type Language = keyof typeof LANGUAGES;

type Catalogue = Record<string, string>;

const first = import.meta.glob<Record<string, Catalogue>>('../../locales/*/first.ts');
const files = import.meta.glob<Catalogue>(
  ['../../locales/*/*.json', '!../../locales/*/{board,characters,common,home,plans,story,table,talk}.json'],
  { import: 'default' },
);

class State {
  language = $state<Language>('en');
  // Replaced as a whole: one signal for all texts instead of one for each.
  texts = $state.raw<Catalogue>({});
  areas = $state.raw<string[]>([]);
}
const state = new State();

const isLanguage = (code: string): code is Language => code in LANGUAGES;

/** The language from the settings, else the browser's first language that we have, else English. */
export function preferred(): Language {
  if (settings.language && isLanguage(settings.language)) return settings.language;
  for (const tag of navigator.languages) {
    const code = tag.slice(0, 2).toLowerCase();
    if (isLanguage(code)) return code;
  }
  return 'en';
}

async function fetchArea(language: Language, area: string): Promise<Catalogue> {
  const folder = `../../locales/${language}`;
  const catalogue =
    (await files[`${folder}/${area}.json`]?.()) ?? (await first[`${folder}/first.ts`]?.())?.[area] ?? {};
  return Object.fromEntries(Object.entries(catalogue).map(([key, text]) => [`${area}.${key}`, text]));
}

/** Loads the areas that a screen uses; resolves when the texts are loaded. */
export async function speak(...areas: string[]): Promise<void> {
  const missing = areas.filter((area) => !state.areas.includes(area));
  if (!missing.length) return;
  const parts = await Promise.all(missing.map((area) => fetchArea(state.language, area)));
  state.texts = Object.assign({}, state.texts, ...parts) as Catalogue;
  state.areas = [...new Set([...state.areas, ...missing])];
}

export async function setLanguage(language: Language): Promise<void> {
  const areas = state.areas;
  const parts = await Promise.all(areas.map((area) => fetchArea(language, area)));
  state.language = language;
  state.texts = Object.assign({}, ...parts) as Catalogue;
  document.documentElement.lang = language;
}

export const language = (): Language => state.language;

/** The text under a key (`area.name`), with its values filled in. */
export function t(key: string, values?: Values): string {
  const text = state.texts[key];
  if (text === undefined) return key;
  return format(text, values, state.language);
}

/** "Title: text", with a colon as the reader's language writes it. */
export const labelled = (label: string, text: string): string => t('common.labelled', { label, text });

/** "One; two; three", with semicolons as the reader's language writes them. */
export const joined = (parts: readonly string[]): string =>
  parts.length ? parts.reduce((first, next) => t('common.joined', { first, next })) : '';

/** Whether there is a text under this key. */
export const has = (key: string): boolean => key in state.texts;

export function number(value: number, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(state.language, options).format(value);
}

/** A date in the reader's language. A date without a time is the same in every time zone. */
export function date(iso: string): string {
  const zone = iso.includes('T') ? {} : { timeZone: 'UTC' };
  return new Intl.DateTimeFormat(state.language, { dateStyle: 'medium', ...zone }).format(new Date(iso));
}

export function ago(iso: string): string {
  const seconds = (Date.parse(iso) - Date.now()) / 1000;
  const units: [Intl.RelativeTimeFormatUnit, number][] = [
    ['day', 86400],
    ['hour', 3600],
    ['minute', 60],
  ];
  const words = new Intl.RelativeTimeFormat(state.language, { numeric: 'auto' });
  for (const [unit, size] of units)
    if (Math.abs(seconds) >= size) return words.format(Math.round(seconds / size), unit);
  return words.format(0, 'minute');
}
