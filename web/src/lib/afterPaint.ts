/** Resolves when what was just changed is on the screen, or would be on a page that is looked at: asking the server comes after showing. */
export function afterPaint(): Promise<void> {
  return new Promise((done) => {
    const late = setTimeout(done, 100);
    requestAnimationFrame(() => {
      clearTimeout(late);
      setTimeout(done);
    });
  });
}
