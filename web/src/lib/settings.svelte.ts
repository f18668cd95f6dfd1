/** The settings of this browser, kept in its storage. Changes apply at once. */

/** A game's settings for showing its board, such as `{ view: 'above' }`. */
export type Look = Readonly<Record<string, string>>;

export interface Settings {
  language: string | null;
  theme: 'system' | 'light' | 'dark';
  boardStyle: 'atlas' | 'plain' | 'contrast';
  coordinates: boolean;
  confirm: 'always' | 'long' | 'never';
  speed: 'off' | 'fast' | 'normal' | 'slow';
  /** The minimum time to show a turn of another player. */
  turnTime: 'none' | 'short' | 'medium' | 'long';
  /** How turns are listed. */
  moveList: 'icons' | 'words' | 'notation';
  sound: boolean;
  volume: number;
  notify: boolean;
  /** How each game's board is shown, by the game's name. */
  looks: Record<string, Look>;
  name: string;
  /** The level of the computer players offered first; null until one is chosen. */
  level: number | null;
  /** What runs the engine, if both this device and the server can. */
  thinks: 'device' | 'server';
  /** Whether a coach asks before a blunder is sent, in games against the computer. */
  coach: boolean;
  /** The games for which tips are no longer shown. */
  taught: readonly string[];
}

const DEFAULTS: Settings = {
  language: null,
  theme: 'system',
  boardStyle: 'atlas',
  coordinates: true,
  confirm: 'long',
  speed: 'normal',
  turnTime: 'short',
  moveList: 'icons',
  sound: true,
  volume: 0.6,
  notify: false,
  looks: {},
  name: '',
  level: null,
  // If the browser asks to save data, don't load the 5 MB needed for this.
  thinks: (navigator as { connection?: { saveData?: boolean } }).connection?.saveData ? 'server' : 'device',
  coach: false,
  taught: [],
};

const KEY = 'terrarium.settings';

function kept(): Partial<Settings> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Settings>;
  } catch {
    return {};
  }
}

export const settings: Settings = $state({ ...DEFAULTS, ...kept() });

export function change<K extends keyof Settings>(name: K, value: Settings[K]): void {
  settings[name] = value;
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...settings, motion: settings.speed === 'off' ? 'off' : 'on' }));
  } catch {
    // Storage is full or blocked: the change is lost when the page is left.
  }
  apply();
}

/** Changes how the board of a game is shown. */
export function changeLook(game: string, name: string, value: string): void {
  change('looks', { ...settings.looks, [game]: { ...settings.looks[game], [name]: value } });
}

function apply(): void {
  const root = document.documentElement;
  if (settings.theme === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = settings.theme;
  root.dataset['board'] = settings.boardStyle;
  root.dataset['motion'] = settings.speed === 'off' ? 'off' : 'on';
  root.style.setProperty('--slide', `${slideTime()}ms`);
  root.style.setProperty('--flash', `${Math.max(1, pace(1600))}ms`);
}

const FACTORS = { off: 0, fast: 0.5, normal: 1, slow: 2 };
const still = matchMedia('(prefers-reduced-motion: reduce)');

/** The duration of an animation of `milliseconds` under these settings; 0 means: show the result at once. */
export function pace(milliseconds: number): number {
  return still.matches ? 0 : milliseconds * FACTORS[settings.speed];
}

/** How long a piece slides to its new place. */
export const slideTime = (): number => pace(260);

const TURN_TIMES = { none: 0, short: 700, medium: 1500, long: 3000 };

/** The minimum number of milliseconds to show a turn of another player, with or without animations. */
export const turnTime = (): number => TURN_TIMES[settings.turnTime];

apply();
