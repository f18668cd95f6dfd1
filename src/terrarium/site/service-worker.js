// Keeps every file of one version, so that the page starts without a network. `terrarium site` puts two constants above: VERSION and FILES.
/* global VERSION, FILES */
const CACHE = `terrarium-${VERSION}`;
const ROOT = new URL('./', self.location.href);

self.addEventListener('install', (event) => {
  // All or nothing: a version with missing files must not replace one that works.
  event.waitUntil(
    caches.open(CACHE).then((cache) =>
      cache.addAll(FILES.map((file) => new Request(new URL(file, ROOT), { cache: 'no-cache' }))),
    ),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys())
        if (name.startsWith('terrarium-') && name !== CACHE) await caches.delete(name);
      await self.clients.claim();
    })(),
  );
});

// A new version waits until somebody agrees to it: a page must not get half of each.
self.addEventListener('message', (event) => {
  if (event.data === 'update') void self.skipWaiting();
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || !url.href.startsWith(ROOT.href)) return;
  // What a server answers, where there is one.
  if (/^(api|metrics)(\/|$)/.test(url.href.slice(ROOT.href.length))) return;
  const wanted = request.mode === 'navigate' ? ROOT.href : url.origin + url.pathname;
  event.respondWith(
    (async () => {
      const cache = await caches.open(CACHE);
      const found = await cache.match(wanted);
      if (found) return found;
      const response = await fetch(request);
      // Python is kept when it is used for the first time, unless it was kept with everything else.
      if (response.ok && url.href.startsWith(`${ROOT.href}tab/`)) await cache.put(wanted, response.clone());
      return response;
    })(),
  );
});
