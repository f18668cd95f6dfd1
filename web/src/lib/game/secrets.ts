/** The secrets of seat links, for games that were created in this browser. */

const key = (id: string) => `terrarium.seats.${id}`;

export function secrets(id: string): Record<number, string> {
  try {
    return JSON.parse(localStorage.getItem(key(id)) ?? '{}') as Record<number, string>;
  } catch {
    return {};
  }
}

export function keepSecrets(id: string, list: readonly (string | null)[]): void {
  const known = Object.fromEntries(list.flatMap((secret, seat) => (secret ? [[seat, secret]] : [])));
  try {
    localStorage.setItem(key(id), JSON.stringify({ ...secrets(id), ...known }));
  } catch {
    // Without storage the links are lost when the page is left.
  }
}
