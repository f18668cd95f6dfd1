/**
 * Returns the old object if a new value is equal to it. Every answer of the server consists of new objects. With these
 * functions, unchanged parts stay identical (`===`), and a board of hundreds of cells updates only what changed.
 */

export function sameList(before: readonly unknown[], now: readonly unknown[]): boolean {
  if (before.length !== now.length) return false;
  for (let i = 0; i < now.length; i++) if (before[i] !== now[i]) return false;
  return true;
}

export function sameRecord(before: Readonly<Record<string, unknown>>, now: Readonly<Record<string, unknown>>): boolean {
  let count = 0;
  for (const key in now) {
    if (before[key] !== now[key]) return false;
    count++;
  }
  return Object.keys(before).length === count;
}

/** Returns a function to call with each new value: it returns the last value if that is equal. */
export function memo<T>(isSame: (before: T, now: T) => boolean): (now: T) => T {
  let known: T | undefined;
  return (now) => (known !== undefined && isSame(known, now) ? known : (known = now));
}

/** The same for many values, each under its name. */
export class KeyedMemo<T> {
  private readonly known = new Map<string, T>();

  constructor(private readonly isSame: (before: T, now: T) => boolean) {}

  keep(name: string, now: T): T {
    const before = this.known.get(name);
    if (before !== undefined && this.isSame(before, now)) return before;
    this.known.set(name, now);
    return now;
  }
}
