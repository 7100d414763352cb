import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runProgram } from '../processes/run-program.ts';
import { ROOT } from '../stack/folders.ts';
import { Problem } from '../terminal/problem.ts';

const require = createRequire(import.meta.url);

/** Compiles packages and services to their `dist`, incrementally. */
export async function compile(): Promise<void> {
  const tsc = join(require.resolve('typescript/package.json'), '../bin/tsc');
  const args = [tsc, '-b', 'tsconfig.build.json', '--pretty', 'false'];
  const result = await runProgram(process.execPath, args, { cwd: ROOT, timeoutMs: 300_000 });
  if (!result.ok) throw new Problem(`${result.stdout || result.stderr}\nParley does not compile.`);
}
