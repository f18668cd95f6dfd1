/*
 * The service worker: shows push messages, and opens the game when a message is clicked. It keeps no files and answers no requests;
 * a page that works offline adds its own listeners for `install`, `activate` and `fetch`.
 */

self.addEventListener('push', (event) => {
  let message;
  try {
    message = event.data ? event.data.json() : null;
  } catch {
    message = null;
  }
  // Always show a notification: browsers revoke the permission of a page that does not.
  const { title, body, game } = message ?? {};
  event.waitUntil(
    self.registration.showNotification(typeof title === 'string' ? title : 'Terrarium', {
      body: typeof body === 'string' ? body : '',
      icon: '/icon.svg',
      tag: typeof game === 'string' ? game : 'terrarium',
      data: { game: typeof game === 'string' && /^\w+$/.test(game) ? game : null },
    }),
  );
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { game } = event.notification.data ?? {};
  const address = new URL(game ? `/g/${game}` : '/', self.location.origin).href;
  event.waitUntil(
    self.clients.matchAll({ type: 'window', includeUncontrolled: true }).then((windows) => {
      const open = windows.find((one) => one.url.split(/[?#]/)[0] === address);
      return open ? open.focus() : self.clients.openWindow(address);
    }),
  );
});
