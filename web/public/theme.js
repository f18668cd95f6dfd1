// Runs before the first paint, so that a dark page never flashes light.
try {
  const kept = JSON.parse(localStorage.getItem('terrarium.settings') ?? '{}');
  if (kept.theme === 'light' || kept.theme === 'dark') document.documentElement.dataset.theme = kept.theme;
  if (kept.motion === 'off') document.documentElement.dataset.motion = 'off';
} catch {
  // Storage may be closed to us; the system's theme is used then.
}
