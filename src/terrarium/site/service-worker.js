// Keeps every file of one version, so that the page starts without a network. `terrarium site` puts two constants above: VERSION and FILES.
/* global VERSION, FILES */
const ROOT = new URL('./', self.location.href);
// The folder is a part of the name, because a host can have several copies of the page.
const FAMILY = `terrarium ${ROOT.pathname} `;
const CACHE = FAMILY + VERSION;
const OPEN_BEFORE = new URL('open-before', ROOT).href;

self.addEventListener('install', (event) => {
  // All or nothing: a version with missing files must not replace one that works.
  event.waitUntil(
    caches.open(CACHE).then((cache) =>
      cache.addAll(FILES.map((file) => new Request(new URL(file, ROOT), { cache: 'no-cache' }))),
    ),
  );
});

const windows = async () => (await self.clients.matchAll({ type: 'window', includeUncontrolled: true })).map(({ id }) => id);

self.addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(CACHE);
      await cache.put(OPEN_BEFORE, new Response(JSON.stringify(await windows())));
      await tidy();
      await self.clients.claim();
    })(),
  );
});

/** Deletes the files of older versions, once no tab is open that may still need them. */
async function tidy() {
  const older = (await caches.keys()).filter((name) => name.startsWith(FAMILY) && name !== CACHE);
  if (!older.length) return;
  const noted = await (await caches.open(CACHE)).match(OPEN_BEFORE);
  const before = noted ? await noted.json() : [];
  const open = await windows();
  if (!before.some((id) => open.includes(id))) await Promise.all(older.map((name) => caches.delete(name)));
}

self.addEventListener('message', (event) => {
  // A new version waits until somebody agrees to it: a page must not get half of each.
  if (event.data === 'update') void self.skipWaiting();
  if (event.data === 'loaded') event.waitUntil(tidy());
});

const isPython = (address) => address.startsWith(`${ROOT.href}tab/`);

/** A file of this version, or of an older one for a tab that still shows it. */
async function kept(cache, wanted) {
  const found = await cache.match(wanted);
  if (found || wanted === ROOT.href) return found;
  for (const name of await caches.keys()) {
    if (!name.startsWith(FAMILY)) continue;
    const older = await (await caches.open(name)).match(wanted);
    if (!older) continue;
    // Python that was kept when it was used is needed in the next version too, unless that one has another.
    if (!FILES.some((file) => file.startsWith('tab/')) && isPython(wanted)) await cache.put(wanted, older.clone());
    return older;
  }
}

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
      const found = await kept(cache, wanted);
      if (found) return found;
      const response = await fetch(request);
      // Python is kept when it is used for the first time, unless it was kept with everything else.
      if (response.ok && isPython(wanted)) await cache.put(wanted, response.clone());
      return response;
    })(),
  );
});
