/** Polls while the page is visible: at once, at intervals, and when the page becomes visible again. */
export function poll(job: () => Promise<void>, milliseconds: number): () => void {
  let isAsking = false;
  const ask = () => {
    if (document.hidden || isAsking) return;
    isAsking = true;
    job()
      .catch(() => undefined)
      .finally(() => (isAsking = false));
  };
  ask();
  const timer = setInterval(ask, milliseconds);
  document.addEventListener('visibilitychange', ask);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', ask);
  };
}
