/**
 * Keeps the old object if a new value is equal to it. Every answer of the server is made of new objects; a board of
 * hundreds of cells looks only at those that changed, because all others are identical (`===`).
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

/** A memoised value: call it with each new value. */
export function memo<T>(isSame: (before: T, now: T) => boolean): (now: T) => T {
  let known: T | undefined;
  return (now) => (known !== undefined && isSame(known, now) ? known : (known = now));
}

/** Many memoised values, each under its name. */
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
