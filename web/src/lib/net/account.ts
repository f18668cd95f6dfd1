/** Accounts: optional, and asked for only by the screens that need them. */

import { json } from './client';
import type { Me, SignedUp, Token } from './types';

export const SCOPES = ['play', 'read', 'follow'] as const;

export const account = {
  me: () => json<Me>('GET', '/me'),
  create: (name: string, password: string) => json<SignedUp>('POST', '/accounts', { name, password }),
  recover: (name: string, code: string, password: string) => json<SignedUp>('POST', '/accounts/recover', { name, code, password }),
  signIn: (name: string, password: string) => json<{ name: string }>('POST', '/sessions', { name, password }),
  signOut: () => json<void>('DELETE', '/sessions'),
  remove: () => json<void>('DELETE', '/me'),
  vacation: (isOn: boolean) => json<Me>('PATCH', '/me', { vacation: isOn }),
  tokens: () => json<Token[]>('GET', '/me/tokens'),
  newToken: (name: string, scopes: readonly string[]) => json<Token>('POST', '/me/tokens', { name, scopes }),
  revoke: (id: string) => json<void>('DELETE', `/me/tokens/${encodeURIComponent(id)}`),
};
