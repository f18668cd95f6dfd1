import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { listFirstFiles } from './first';

const server = process.env['TERRARIUM_SERVER'] ?? 'http://127.0.0.1:8000';

export default defineConfig({
  plugins: [svelte(), listFirstFiles()],
  // Scripts and styles find each other by where they are themselves, so that the same build also works in a subfolder. Only the page,
  // which a server gives for every address, names them from the root; `terrarium site` makes that relative.
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
    // A request costs a phone more than a few kilobytes do: few chunks, also for what several screens share.
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
  // Tests mount components as a browser does.
  resolve: process.env['VITEST'] ? { conditions: ['browser'] } : {},
  test: {
    include: ['tests/**/*.test.ts'],
    environment: 'happy-dom',
    // A busy machine may take long to import what a test needs.
    testTimeout: 60_000,
    coverage: { include: ['src/**'], reporter: ['text-summary'] },
  },
});
