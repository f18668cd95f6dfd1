/** Requests about accounts, which are optional. */

import { json } from './client';
import { rightsChanged } from './rights';
import type { Me, SignedUp, Token } from './types';

export const SCOPES = ['play', 'read', 'follow'] as const;

export const account = {
  me: () => json<Me>('GET', '/me'),
  create: (name: string, password: string, invite?: string) =>
    json<SignedUp>('POST', '/accounts', { name, password, invite }).finally(rightsChanged),
  recover: (name: string, code: string, password: string) =>
    json<SignedUp>('POST', '/accounts/recover', { name, code, password }).finally(rightsChanged),
  signIn: (name: string, password: string) =>
    json<{ name: string }>('POST', '/sessions', { name, password }).finally(rightsChanged),
  signOut: () => json<void>('DELETE', '/sessions').finally(rightsChanged),
  remove: () => json<void>('DELETE', '/me').finally(rightsChanged),
  vacation: (isOn: boolean) => json<Me>('PATCH', '/me', { vacation: isOn }),
  markBot: (isBot: boolean) => json<Me>('PATCH', '/me', { is_bot: isBot }),
  tokens: () => json<Token[]>('GET', '/me/tokens'),
  newToken: (name: string, scopes: readonly string[]) => json<Token>('POST', '/me/tokens', { name, scopes }),
  revoke: (id: string) => json<void>('DELETE', `/me/tokens/${encodeURIComponent(id)}`),
};
