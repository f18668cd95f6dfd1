/** Links to files of the API: without a server the page fetches and saves the file itself. */

import { save } from '../ui/save';
import { api } from './client';

/** Saves the file that a link to the API offers; false if the link leads elsewhere. */
export function saveLinked(link: HTMLAnchorElement): boolean {
  const address = link.getAttribute('href') ?? '';
  if (!address.startsWith('/api/')) return false;
  const path = address.slice('/api'.length);
  const name = link.download || path.replace(/\?.*/, '').split('/').slice(-2).join('.');
  void api.file(path).then((file) => save(file, name));
  return true;
}
