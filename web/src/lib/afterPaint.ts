/** Resolves after the next frame is painted (on a hidden page after a timeout), so that requests are sent after showing the change. */
export function afterPaint(): Promise<void> {
  return new Promise((done) => {
    const late = setTimeout(done, 100);
    requestAnimationFrame(() => {
      clearTimeout(late);
      setTimeout(done);
    });
  });
}
