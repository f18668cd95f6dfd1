/** Resolves after the next frame is painted, or on a hidden page after a timeout. Slow work can wait for it. */
export function afterPaint(): Promise<void> {
  return new Promise((done) => {
    const late = setTimeout(done, 100);
    requestAnimationFrame(() => {
      clearTimeout(late);
      setTimeout(done);
    });
  });
}
