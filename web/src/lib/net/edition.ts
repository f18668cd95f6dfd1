/** Whether the page has a server, and the folder of its Python. `terrarium site` writes both into the HTML. */

const root = document.documentElement;

/** Whether there is a server; without one, everything runs in this browser. */
export const hasServer = root.dataset['server'] !== 'none';

/** Whether a game or study is kept in this browser. Ids on a server never begin with `local`. */
export const isLocal = (id: string): boolean => !hasServer || id.startsWith('local');

/** Whether an address of the API concerns a game or study that is kept in this browser. */
export const isLocalAddress = (address: string): boolean =>
  isLocal(/^\/(?:games|studies)\/([^/?]+)/.exec(address)?.[1] ?? '');

/** The folder with Python and the games, relative to the page. */
export const tabFolder = root.dataset['tab'] ?? null;

/** Whether this browser can run the games and the engine. A page with a server can if its operator built it so. */
export const hasTab = tabFolder !== null;
