/** A complete record inside a link, after `#`: browsers do not send that part to the server. */

/** Email programs and messengers may cut longer links. */
const LONGEST = 6_000;

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** The text as letters, digits, `-` and `_`; null if it is too long for a link. */
export async function encodeRecord(text: string): Promise<string | null> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  const found = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
  return found.length <= LONGEST ? found : null;
}

/** The text from the result of `encodeRecord`; throws on anything else. */
export async function decodeRecord(found: string): Promise<string> {
  const bytes = Uint8Array.from(atob(found.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  );
  return new TextDecoder('utf-8', { fatal: true }).decode(await through(bytes, new DecompressionStream('deflate-raw')));
}
