/** The types of the page are made from the description of the server that lies in the repository. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import openapi, { astToString } from 'openapi-typescript';
import { expect, it } from 'vitest';

it('knows the server’s types as docs/openapi.json describes them (npm run types)', async () => {
  const described = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8')) as never;
  const made = astToString(await openapi(described, { silent: true }));
  const kept = readFileSync(join(import.meta.dirname, '../src/lib/net/openapi.d.ts'), 'utf8');
  expect(kept.slice(kept.indexOf('export interface paths'))).toBe(made.slice(made.indexOf('export interface paths')));
});
