/** Python in this worker: Pyodide, with the library unpacked into its file system. */

interface Pyodide {
  FS: { mkdirTree(path: string): void; writeFile(path: string, data: Uint8Array): void };
  runPython(code: string): unknown;
  pyimport(name: string): Record<string, (...args: unknown[]) => unknown>;
}

/** The class `Tab` of `terrarium.tab.app`. */
export interface Tab {
  open(): Promise<void>;
  ask(id: string, method: string, path: string, body: string): void;
  cancel(id: string): void;
  watch(id: string, game: string, since: number | undefined): Promise<boolean>;
  hear(id: string, text: string): void;
  unwatch(id: string): void;
}

/** The object of `terrarium.tab.crew` in a worker that only runs the engine. */
export interface Thinker {
  ask(id: string, job: string): void;
  cancel(id: string): void;
}

async function fetched(url: URL): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Loads Python with the library from a folder that `terrarium site` wrote. */
export async function loadPython(folder: string): Promise<Pyodide> {
  const library = fetched(new URL('terrarium.pack', folder));
  library.catch(() => undefined); // `await library` below throws the error
  const { loadPyodide } = (await import(/* @vite-ignore */ new URL('pyodide.mjs', folder).href)) as {
    loadPyodide(options: { indexURL: string }): Promise<Pyodide>;
  };
  const python = await loadPyodide({ indexURL: folder });
  unpack(python, await library);
  python.runPython('import sys; sys.path.insert(0, "/app")');
  return python;
}

/** Returns a function that loads a pack by its name, once: data that a first game does not need. */
export function laterParts(python: Pyodide, folder: string): (name: string) => Promise<void> {
  const parts = new Map<string, Promise<void>>();
  return (name) => {
    let part = parts.get(name);
    if (!part) {
      part = fetched(new URL(`${name}.pack`, folder)).then((data) => unpack(python, data));
      part.catch(() => parts.delete(name)); // the next request tries again
      parts.set(name, part);
    }
    return part;
  };
}

/** Writes the files of a pack: the length of its index, the index (paths and sizes) as JSON, and the contents. */
function unpack(python: Pyodide, data: Uint8Array): void {
  const length = new DataView(data.buffer).getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length))) as [string, number][];
  let at = 4 + length;
  for (const [path, size] of index) {
    const file = `/app/${path}`;
    python.FS.mkdirTree(file.slice(0, file.lastIndexOf('/')));
    python.FS.writeFile(file, data.subarray(at, at + size));
    at += size;
  }
}
