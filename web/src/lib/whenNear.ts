/** Calls `seen` once when an element is on the screen or within `margin` of it. Returns a function that stops waiting. */
export function whenNear(element: Element, margin: string, seen: () => void): () => void {
  const watch = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      seen();
    },
    { rootMargin: margin },
  );
  watch.observe(element);
  return () => watch.disconnect();
}
