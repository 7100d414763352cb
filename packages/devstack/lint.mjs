// `npm run lint`: formatting and rules (Biome), unused code and dependencies (knip), spelling and banned words (cspell), in
// parallel. Prints the output of those that fail and exits with 1.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const CACHE = 'node_modules/.cache/cspell';
const checks = {
  biome: ['check', '--error-on-warnings', '.'],
  knip: ['--no-progress', '--treat-config-hints-as-errors'],
  cspell: ['lint', '--no-progress', '--no-summary', '--cache', '--cache-location', CACHE, '.'],
};

const codes = await Promise.all(
  Object.entries(checks).map(async ([name, args]) => {
    const child = spawn(join(root, 'node_modules/.bin', name), args, { cwd: root });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    const [code] = await once(child, 'close');
    if (code !== 0) process.stdout.write(`== ${name}\n${output}\n`);
    return code;
  }),
);
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
