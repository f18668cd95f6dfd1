/** A worker that only runs the engine: it has Python, but neither games nor storage. */

import type { Answer, Job } from './messages';
import { loadPython, type Thinker } from './python';

const post = (answer: Answer) => postMessage(answer);
let thinker: Promise<Thinker> | null = null;

async function load(folder: string): Promise<Thinker> {
  const python = await loadPython(folder);
  const crew = python.pyimport('terrarium.tab.crew');
  return crew['Thinker']?.((id: string, text: string) => post({ id, text })) as Thinker;
}

onmessage = ({ data }: MessageEvent<Job>) => {
  if (data.type === 'start') {
    thinker = load(data.folder);
    thinker.catch((error: unknown) => post({ failed: String(error) }));
  } else
    void thinker?.then(
      (one) => (data.type === 'ask' ? one.ask(data.id, data.job) : one.cancel(data.id)),
      () => undefined,
    );
};
