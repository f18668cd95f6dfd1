/** Which edition of the page this is: `terrarium site` marks the one without a server, and where its Python is. */

const root = document.documentElement;

/** Whether a server answers; without one, everything runs in this browser. */
export const hasServer = root.dataset['server'] !== 'none';

/** Whether a game is kept in this browser; ids of a server's games never begin like this. */
export const isLocal = (id: string): boolean => !hasServer || id.startsWith('local');

/** Whether an address of the API is about something that is kept in this browser. */
export const isLocalAddress = (address: string): boolean =>
  isLocal(/^\/(?:games|studies)\/([^/?]+)/.exec(address)?.[1] ?? '');

/** The folder with Python and the games, relative to the page. */
export const tabFolder = root.dataset['tab'] ?? null;

/** Whether this browser can compute; a server's page can if its operator built it so. */
export const hasTab = tabFolder !== null;
