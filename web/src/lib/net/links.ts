/** Files offered as links to the API: without a server the page fetches and saves them itself. */

import { save } from '../ui/save';
import { api } from './client';

/** Saves what a link to the API offers; false if it is another link. */
export function saveLinked(link: HTMLAnchorElement): boolean {
  const address = link.getAttribute('href') ?? '';
  if (!address.startsWith('/api/')) return false;
  const path = address.slice('/api'.length);
  const name = link.download || path.replace(/\?.*/, '').split('/').slice(-2).join('.');
  void api.file(path).then((file) => save(file, name));
  return true;
}
