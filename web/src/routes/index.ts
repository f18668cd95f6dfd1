import type { Component } from 'svelte';

interface Found {
  key: string;
  load: () => Promise<{ default: Component<never> }>;
  areas: string[];
  props: Record<string, string>;
  isWide: boolean;
}

interface Route {
  pattern: RegExp;
  names?: string[];
  load: () => Promise<unknown>;
  areas: string[];
  isWide?: boolean;
}

const ROUTES: Route[] = [
  { pattern: /^\/$/, load: () => import('./Home.svelte'), areas: ['board', 'home'] },
  { pattern: /^\/new$/, load: () => import('./NewGame.svelte'), areas: ['board', 'new'] },
  { pattern: /^\/games$/, load: () => import('./Games.svelte'), areas: ['board', 'home'] },
  { pattern: /^\/g\/([\w-]+)$/, names: ['id'], load: () => import('./Table.svelte'), areas: ['board', 'table'], isWide: true },
  { pattern: /^\/g\/([\w-]+)\/review$/, names: ['id'], load: () => import('./Review.svelte'), areas: ['board', 'table', 'replay'], isWide: true },
  { pattern: /^\/replay$/, load: () => import('./Replay.svelte'), areas: ['board', 'table', 'replay'], isWide: true },
  { pattern: /^\/analysis$/, load: () => import('./Analysis.svelte'), areas: ['board', 'table', 'replay'], isWide: true },
  { pattern: /^\/learn$/, load: () => import('./Learn.svelte'), areas: ['board', 'learn'] },
  { pattern: /^\/learn\/editions$/, load: () => import('./Editions.svelte'), areas: ['learn'] },
  { pattern: /^\/learn\/nova$/, load: () => import('./BookNova.svelte'), areas: ['board', 'learn', 'learn-nova'] },
  { pattern: /^\/learn\/turrium$/, load: () => import('./BookTurrium.svelte'), areas: ['board', 'learn', 'learn-turrium'] },
  { pattern: /^\/learn\/nova\/first$/, load: () => import('./LessonNova.svelte'), areas: ['board', 'table', 'learn', 'lesson-nova'] },
  { pattern: /^\/learn\/turrium\/first$/, load: () => import('./LessonTurrium.svelte'), areas: ['board', 'table', 'learn', 'lesson-turrium'] },
  { pattern: /^\/account$/, load: () => import('./Account.svelte'), areas: ['account'] },
  { pattern: /^\/settings$/, load: () => import('./Settings.svelte'), areas: ['board', 'settings'] },
];

export function match(path: string): Found {
  const clean = path.length > 1 ? path.replace(/\/+$/, '') : path;
  for (const route of ROUTES) {
    const found = route.pattern.exec(clean);
    if (!found) continue;
    const props = Object.fromEntries((route.names ?? []).map((name, i) => [name, found[i + 1] ?? '']));
    return { key: clean, load: route.load as Found['load'], areas: route.areas, props, isWide: route.isWide ?? false };
  }
  return { key: 'lost', load: (() => import('./Lost.svelte')) as Found['load'], areas: [], props: {}, isWide: false };
}
