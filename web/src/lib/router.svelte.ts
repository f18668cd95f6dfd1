/**
 * The current address. Every screen has one, and the browser's back and forward buttons work. Without a server, addresses come after `#`,
 * so that any static host can serve the page, in any folder.
 */

import { hasServer, isLocalAddress } from './net/edition';
import { saveLinked } from './net/links';

/** The address of a screen, as the page names it: `/learn/nova?step=2#TN-5`. */
function current(): URL {
  if (hasServer) return new URL(location.href);
  return new URL(location.hash.startsWith('#/') ? location.hash.slice(1) : '/', location.origin);
}

/** Whether a link to the API concerns a game or study of this browser, which no server can answer. */
const isOurs = (link: HTMLAnchorElement): boolean =>
  isLocalAddress((link.getAttribute('href') ?? '').replace(/^\/api/, '')) ||
  (link.getAttribute('href') ?? '').startsWith('/api/local/');

const start = current();

class Router {
  path = $state(start.pathname);
  search = $state(start.search);
  hash = $state(start.hash);

  constructor() {
    addEventListener('popstate', () => this.read());
    if (!hasServer) document.addEventListener('pointerdown', (event) => this.point(event), true);
    document.addEventListener('click', (event) => this.click(event));
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.search);
  }

  go(address: string, options: { replace?: boolean; keepScroll?: boolean } = {}): void {
    const real = this.link(address);
    if (options.replace) history.replaceState(null, '', real);
    else history.pushState(null, '', real);
    this.read();
    if (!options.keepScroll && !this.hash) scrollTo(0, 0);
  }

  /** The full URL of a screen, for sharing. */
  link(address: string): string {
    if (hasServer) return new URL(address, location.origin).href;
    return `${location.origin}${location.pathname}${location.search}#${address}`;
  }

  private read(): void {
    const url = current();
    this.path = url.pathname;
    this.search = url.search;
    this.hash = url.hash;
  }

  /** Replaces a link's address by its full URL, because the browser may open it in another tab. */
  private point(event: Event): void {
    const link = (event.target as Element).closest('a');
    const address = link?.getAttribute('href') ?? '';
    if (link && address.startsWith('/') && !address.startsWith('/api/')) link.href = this.link(address);
  }

  private click(event: MouseEvent): void {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = (event.target as Element).closest('a');
    if (link && isOurs(link) && saveLinked(link)) {
      event.preventDefault();
      return;
    }
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (link.pathname.startsWith('/api/')) return;
    const address = link.getAttribute('href') ?? '';
    if (hasServer) {
      if (link.pathname === location.pathname && link.search === location.search && link.hash) return;
      event.preventDefault();
      this.go(link.pathname + link.search + link.hash);
      return;
    }
    event.preventDefault();
    if (link.hash.startsWith('#/')) this.go(link.hash.slice(1));
    else if (address.startsWith('#')) this.jump(address);
    else this.go(address);
  }

  /** Goes to a place on the same screen, as the browser would. */
  private jump(hash: string): void {
    this.go(this.path + this.search + hash, { keepScroll: true });
    const target = document.getElementById(decodeURIComponent(hash.slice(1)));
    target?.scrollIntoView();
    target?.focus({ preventScroll: true });
  }
}

export const router = new Router();
