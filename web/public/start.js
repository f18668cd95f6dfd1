/*
 * Runs before the first paint: sets the theme, so that a dark page never flashes light, and preloads what the first screen needs.
 */
{
  const root = document.documentElement;
  let kept = {};
  try {
    // After an earlier visit the fonts are in the cache; on a first visit they are loaded after the screen.
    if (localStorage.getItem('terrarium.fonts')) root.dataset.fonts = '';
    kept = JSON.parse(localStorage.getItem('terrarium.settings') ?? '{}');
  } catch {
    // Storage is blocked: use the system's theme.
  }
  if (kept.theme === 'light' || kept.theme === 'dark') root.dataset.theme = kept.theme;
  if (kept.motion === 'off') root.dataset.motion = 'off';

  const list = document.getElementById('first')?.textContent;
  if (list && root.dataset.server !== 'none') {
    const { texts, screens } = JSON.parse(list);
    const ask = (href, facts) => document.head.append(Object.assign(document.createElement('link'), facts, { href }));
    const codes = [kept.language, ...navigator.languages].map((tag) => tag?.slice(0, 2).toLowerCase());
    const screen = screens.find(({ path }) => new RegExp(path).test(location.pathname));
    const files = [texts[codes.find((code) => code in texts) ?? 'en'], ...(screen?.files ?? [])];
    for (const file of files)
      ask(`/${file}`, file.endsWith('.css') ? { rel: 'stylesheet' } : { rel: 'modulepreload', crossOrigin: '' });
    for (const path of screen?.api ?? [])
      ask(`/api/${location.pathname.replace(new RegExp(screen.path), path)}`, {
        rel: 'preload',
        as: 'fetch',
        crossOrigin: 'anonymous',
      });
  }
}
