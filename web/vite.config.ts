import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { listFirstFiles } from './first';

/** Tests that replace modules or globals, or read the state that a module has when it is loaded. */
const ISOLATED = ['analysis', 'editor', 'games', 'live', 'puzzles', 'storage', 'studies', 'update'].map(
  (name) => `tests/${name}.test.ts`,
);
const server = process.env['TERRARIUM_SERVER'] ?? 'http://127.0.0.1:8000';

export default defineConfig({
  plugins: [svelte(), listFirstFiles()],
  // Scripts and styles use relative paths, so that the build also works in a subfolder. Only index.html, which the server
  // sends for every address, uses absolute paths; `terrarium site` makes them relative.
  experimental: {
    renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `/${file}` : { relative: true }),
  },
  worker: { format: 'es' },
  build: {
    outDir: '../src/terrarium/server/static',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // On a phone, a request costs more than a few kilobytes: make few chunks, even for code that several screens share.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'shell', tags: ['$initial'], priority: 1 },
            { name: 'shared', test: /[\\/]src[\\/](?!locales)/, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: {
    proxy: { '/api': { target: server, ws: true } },
  },
  // Tests mount components with Svelte's code for browsers.
  resolve: process.env['VITEST'] ? { conditions: ['browser'] } : {},
  test: {
    environment: 'happy-dom',
    // On a busy machine, imports can take long.
    testTimeout: 60_000,
    coverage: { include: ['src/**'], reporter: ['text-summary'] },
    projects: [
      { extends: true, test: { name: 'isolated', include: ISOLATED } },
      // One document for all of these files: making one for each would take most of their time.
      { extends: true, test: { name: 'shared', include: ['tests/*.test.ts'], exclude: ISOLATED, isolate: false } },
    ],
  },
});
