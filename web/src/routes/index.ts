import type { Component } from 'svelte';
import { GAMES } from '../games/index.svelte';

interface Found {
  key: string;
  load: () => Promise<{ default: Component<never> }>;
  areas: string[];
  props: Record<string, string>;
  isWide: boolean;
  isBare: boolean;
}

interface Route {
  pattern: RegExp;
  names?: string[];
  load: () => Promise<unknown>;
  /** The areas of texts that the screen needs; `{name}` is replaced by a part of the address. */
  areas: string[];
  isWide?: boolean;
  /** Whether the screen is shown without the page's header, inside other pages. */
  isBare?: boolean;
  /** Addresses with the same key share one screen instance; by default each address has its own. */
  key?: string;
}

const ROUTES: Route[] = [
  { pattern: /^\/$/, load: () => import('./Home.svelte'), areas: ['board', 'characters', 'home'] },
  { pattern: /^\/new$/, load: () => import('./NewGame.svelte'), areas: ['board', 'characters', 'new'] },
  { pattern: /^\/games$/, load: () => import('./Games.svelte'), areas: ['board', 'characters', 'home'] },
  {
    pattern: /^\/g\/([\w-]+)$/,
    names: ['id'],
    load: () => import('./Table.svelte'),
    areas: ['board', 'characters', 'table', 'story', 'talk', 'plans'],
    isWide: true,
  },
  {
    pattern: /^\/g\/([\w-]+)\/review$/,
    names: ['id'],
    load: () => import('./Review.svelte'),
    areas: ['board', 'characters', 'table', 'story', 'replay', 'reason', 'coach'],
    isWide: true,
  },
  {
    pattern: /^\/replay$/,
    load: () => import('./Replay.svelte'),
    areas: ['board', 'characters', 'table', 'story', 'replay', 'reason', 'coach'],
    isWide: true,
  },
  {
    pattern: /^\/analysis$/,
    load: () => import('./Analysis.svelte'),
    areas: ['board', 'characters', 'table', 'story', 'replay', 'reason', 'position', 'tree', 'studies', 'explorer'],
    isWide: true,
  },
  {
    pattern: /^\/editor$/,
    load: () => import('./Editor.svelte'),
    areas: ['board', 'characters', 'table', 'story', 'new', 'position', 'editor'],
    isWide: true,
  },
  {
    pattern: /^\/puzzles$/,
    load: () => import('./Puzzles.svelte'),
    areas: ['board', 'puzzles'],
  },
  {
    pattern: /^\/puzzles\/(\w+)\/([\w-]+)$/,
    names: ['game', 'id'],
    load: () => import('./Puzzle.svelte'),
    areas: ['board', 'characters', 'table', 'story', 'reason', 'puzzles'],
    isWide: true,
  },
  { pattern: /^\/studies$/, load: () => import('./Studies.svelte'), areas: ['studies'] },
  {
    pattern: /^\/study\/([\w-]+)(?:\/([\w-]+))?$/,
    names: ['id', 'chapter'],
    load: () => import('./Study.svelte'),
    areas: ['board', 'characters', 'table', 'story', 'replay', 'reason', 'tree', 'studies', 'explorer'],
    isWide: true,
    key: '/study/{id}',
  },
  {
    pattern: /^\/embed\/study\/([\w-]+)\/([\w-]+)$/,
    names: ['id', 'chapter'],
    load: () => import('./EmbeddedStudy.svelte'),
    areas: ['board', 'table', 'story', 'tree', 'studies'],
    isWide: true,
    isBare: true,
  },
  { pattern: /^\/learn$/, load: () => import('./Learn.svelte'), areas: ['board', 'learn'] },
  ...GAMES.flatMap((game) => game.screens ?? []).map(({ path, load, areas }) => ({
    pattern: new RegExp(`^${path}$`),
    load,
    areas,
  })),
  {
    pattern: /^\/learn\/(\w+)$/,
    names: ['game'],
    load: () => import('./Book.svelte'),
    areas: ['board', 'learn', 'learn-{game}'],
  },
  {
    pattern: /^\/learn\/(\w+)\/first$/,
    names: ['game'],
    load: () => import('./FirstGame.svelte'),
    areas: ['board', 'table', 'story', 'learn', 'lesson-{game}'],
  },
  {
    pattern: /^\/learn\/(\w+)\/summary$/,
    names: ['game'],
    load: () => import('./Summary.svelte'),
    areas: ['board', 'learn', 'learn-{game}'],
  },
  { pattern: /^\/insights$/, load: () => import('./Insights.svelte'), areas: ['characters', 'new', 'insights'] },
  { pattern: /^\/account$/, load: () => import('./Account.svelte'), areas: ['account', 'challenge'] },
  { pattern: /^\/operator$/, load: () => import('./Operator.svelte'), areas: ['operator', 'report'] },
  {
    pattern: /^\/settings$/,
    load: () => import('./Settings.svelte'),
    areas: ['board', 'settings', 'notices', 'coach'],
  },
];

export function match(path: string): Found {
  const clean = path.length > 1 ? path.replace(/\/+$/, '') : path;
  for (const route of ROUTES) {
    const found = route.pattern.exec(clean);
    if (!found) continue;
    const props = Object.fromEntries((route.names ?? []).map((name, i) => [name, found[i + 1] ?? '']));
    const filled = (text: string) => text.replace(/\{(\w+)\}/, (_, name: string) => props[name] ?? '');
    return {
      key: filled(route.key ?? clean),
      load: route.load as Found['load'],
      areas: route.areas.map(filled),
      props,
      isWide: route.isWide ?? false,
      isBare: route.isBare ?? false,
    };
  }
  return {
    key: 'lost',
    load: (() => import('./Lost.svelte')) as Found['load'],
    areas: [],
    props: {},
    isWide: false,
    isBare: false,
  };
}
