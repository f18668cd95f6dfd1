/** Values in this browser's storage. Without storage they are lost when the page is left, and playing still works. */

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
      // Storage is full or blocked: the value is lost when the page is left.
    }
  }
}

/** Stores a value at once, so that it survives a crash. */
export function keep(key: string, value: unknown): void {
  unwritten.set(key, value);
  write();
}

/** Stores a value a little later, or when the page is left: storage is slow, and an action should not wait for it. */
export function keepSoon(key: string, value: unknown): void {
  unwritten.set(key, value);
  timer ??= setTimeout(write, 200);
}

/** Writes what waits, and returns whether everything is stored. */
export function isWritten(): boolean {
  write();
  return unwritten.size === 0;
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
