// Runs Python in the Pyodide of a built site: node node.mjs FOLDER < program.py
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { run } from './run.mjs';

const folder = process.argv[2];
const pyodide = pathToFileURL(`${folder}/pyodide.mjs`).href;
console.log(await run(pyodide, `${folder}/`, fs.readFileSync(`${folder}/terrarium.pack`), fs.readFileSync(0, 'utf8')));
