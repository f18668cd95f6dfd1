/** What this browser keeps of a game between two visits. Without storage nothing is kept, and playing still works. */

const unwritten = new Map<string, unknown>();
let timer: ReturnType<typeof setTimeout> | undefined;

function write(): void {
  clearTimeout(timer);
  timer = undefined;
  for (const [key, value] of unwritten) {
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, JSON.stringify(value));
      unwritten.delete(key);
    } catch {
      // Full or closed storage: the value is known until the page is left.
    }
  }
}

/** Stored at once: values that must survive even a crash. */
export function keep(key: string, value: unknown): void {
  unwritten.set(key, value);
  write();
}

/** Stored after the frame is painted, at the latest when the page is left: storage is slow, and an action should not wait for it. */
export function keepSoon(key: string, value: unknown): void {
  unwritten.set(key, value);
  timer ??= setTimeout(write, 200);
}

export function kept<T>(key: string): T | null {
  if (unwritten.has(key)) return unwritten.get(key) as T | null;
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as T | null;
  } catch {
    return null;
  }
}

addEventListener('pagehide', write);
