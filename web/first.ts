import type { Plugin, Rolldown } from 'vite';

/** The screens on which most visits begin: the address, the module of the screen, and its first requests to the API. */
const SCREENS = [
  {
    path: '^/$',
    module: 'routes/Home.svelte',
    api: ['me', 'meta', 'games?mine=1', 'games?status=open', 'games?status=playing'],
  },
  { path: '^/g/([\\w-]+)$', module: 'routes/Table.svelte', api: ['me', 'games/$1'] },
];
const EMPTY = '<script type="application/json" id="first"></script>';
const TEXTS = /locales[\\/](\w+)[\\/]first\.ts$/;
const BOARDS = /games[\\/](?:nova|turrium)[\\/]page\.ts$/;

/**
 * Writes the list of files that the first screen needs into the page, so that `start.js` can load them at once. Otherwise the browser finds them
 * one after the other: the page, the shell, the screen, its texts, the board.
 */
export function listFirstFiles(): Plugin {
  return {
    name: 'list-first-files',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const find = (module: RegExp) => chunks.filter((chunk) => module.test(chunk.facadeModuleId ?? ''));
        const boards = find(BOARDS);
        const filesOf = (roots: Rolldown.OutputChunk[]) => {
          const found = new Set<string>();
          const follow = (chunk: Rolldown.OutputChunk) => {
            if (found.has(chunk.fileName) || html.includes(chunk.fileName)) return;
            found.add(chunk.fileName);
            for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
            for (const name of chunk.imports) {
              const file = bundle[name];
              if (file?.type === 'chunk') follow(file);
            }
          };
          roots.forEach(follow);
          return [...found];
        };
        const first = {
          texts: Object.fromEntries(
            find(TEXTS).map((chunk) => [TEXTS.exec(chunk.facadeModuleId ?? '')?.[1] ?? '', chunk.fileName]),
          ),
          screens: SCREENS.map(({ path, module, api }) => ({
            path,
            files: filesOf([...find(new RegExp(`${module.replace('.', '\\.')}$`)), ...boards]),
            api,
          })),
        };
        const list = JSON.stringify(first).replaceAll('<', '\\u003c');
        return html.replace(EMPTY, () => EMPTY.replace('></', `>${list}</`));
      },
    },
  };
}
