// Python in the Pyodide of a built site, without its page: the value of a program's last line.
export async function run(pyodide, folder, pack, program) {
  const { loadPyodide } = await import(pyodide);
  const python = await loadPyodide({ indexURL: folder });
  const length = new DataView(pack.buffer, pack.byteOffset).getUint32(0, true);
  let at = 4 + length;
  for (const [path, size] of JSON.parse(new TextDecoder().decode(pack.subarray(4, at)))) {
    python.FS.mkdirTree(`/app/${path}`.replace(/\/[^/]*$/, ''));
    python.FS.writeFile(`/app/${path}`, pack.subarray(at, at + size));
    at += size;
  }
  python.runPython('import sys; sys.path.insert(0, "/app")');
  return python.runPython(program);
}
