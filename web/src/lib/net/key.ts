/** A key for a request: the same request sent again with the same key counts once. `randomUUID` exists only on secure pages. */
export const newKey = (): string => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
