/**
 * The subset of ICU messages that our texts use: `{name}` and `{count, plural, one {…} other {…}}` with `#`.
 * A list of names is joined in the reader's language: "Red, Blue and Green".
 */

export type Values = Record<string, string | number | readonly string[]>;

export function format(text: string, values: Values = {}, language = 'en'): string {
  let out = '';
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('{', at);
    if (open < 0) return out + text.slice(at);
    const close = closing(text, open);
    out += text.slice(at, open) + fill(text.slice(open + 1, close), values, language);
    at = close + 1;
  }
  return out;
}

function fill(inside: string, values: Values, language: string): string {
  const comma = inside.indexOf(',');
  if (comma < 0) return shown(values[inside.trim()] ?? `{${inside}}`, language);
  const value = Number(values[inside.slice(0, comma).trim()] ?? 0);
  const forms = branches(inside.slice(inside.indexOf(',', comma + 1) + 1));
  const chosen = forms[`=${value}`] ?? forms[plural(value, language)] ?? forms['other'] ?? '';
  return format(chosen.replaceAll('#', String(value)), values, language);
}

const lists = new Map<string, Intl.ListFormat>();

function shown(value: string | number | readonly string[], language: string): string {
  if (typeof value !== 'object') return String(value);
  let list = lists.get(language);
  if (!list) lists.set(language, (list = new Intl.ListFormat(language === 'en' ? 'en-GB' : language)));
  return list.format(value);
}

const rules = new Map<string, Intl.PluralRules>();

function plural(value: number, language: string): string {
  let rule = rules.get(language);
  if (!rule) rules.set(language, (rule = new Intl.PluralRules(language)));
  return rule.select(value);
}

function branches(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  let at = 0;
  for (;;) {
    const open = text.indexOf('{', at);
    if (open < 0) return found;
    const close = closing(text, open);
    found[text.slice(at, open).trim()] = text.slice(open + 1, close);
    at = close + 1;
  }
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth++;
    if (text[at] === '}' && --depth === 0) return at;
  }
  return text.length;
}
