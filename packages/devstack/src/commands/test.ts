import { relative } from 'node:path';
import { withServers } from '../servers/with-servers.ts';
import { ROOT } from '../stack/folders.ts';
import { Problem } from '../terminal/problem.ts';
import { runScript } from '../terminal/run-script.ts';
import { idlePercent, readCpuTimes } from '../test-run/cpu-times.ts';
import { longFiles, withoutLongFiles } from '../test-run/long-files.ts';
import { runJest } from '../test-run/run-jest.ts';
import { failedFiles, failedTests, replaceResults, slowestFiles, summaryLine } from '../test-run/summary.ts';

const SLOWEST = 60;
/** More failed files than this are not caused by load. */
const MAX_FILES_AGAIN = 10;
/** Of those that run again: load must not decide. */
const WORKERS_AGAIN = 1;
/**
 * A private Postgres has enough connections for all workers, and never waits for the disk; the one at the usual port has 100 by
 * default, and creating and dropping databases keeps its disk busy. A run of a few files is over before that pays.
 */
const PREFERRED_BY_ALL_TESTS = ['postgres'] as const;

// `npm test [-- paths and flags of jest]`: the tests against real servers; the last line is `N passed, N failed, N skipped`. Without arguments all but the
// long files (see long-files.ts), with `--full` all and every combination of large matrices, with `--changed` those that depend on what changed since main.
//
// Some tests measure time ("a revoked key is refused within a second"), which is unreliable while other files keep the machine
// busy. So a few failed files run once more, one after the other; that run decides, and the files that needed it are listed.
runScript(async () => {
  const given = process.argv.slice(2);
  const isShort = given.length === 0;
  const isFull = given.includes('--full');
  const args = isShort ? withoutLongFiles() : given.filter((arg) => arg !== '--full');
  const isWhole = isShort || args.length === 0;
  let line = '';
  const work = async (variables: NodeJS.ProcessEnv, signal: AbortSignal): Promise<number> => {
    const env = isFull ? { ...variables, EVERY_CASE: '1' } : variables;
    const before = readCpuTimes();
    const first = await runJest(args, env, signal);
    const after = readCpuTimes();
    if (!first.results) throw new Problem('jest ended without results.');
    let { code, leaked, results } = { ...first, results: first.results };
    const failed = failedFiles(results);
    let last = results;
    if (!leaked && failed.length > 0 && failed.length <= MAX_FILES_AGAIN && results.testResults.length > 1) {
      const names = failed.map((file) => `  ${relative(ROOT, file)}`).join('\n');
      process.stdout.write(`\nOnce more, one after the other:\n${names}\n\n`);
      const second = await runJest(['--runTestsByPath', ...failed], env, signal, WORKERS_AGAIN);
      if (!second.results) throw new Problem('jest ended without results.');
      if (second.code === 0) process.stdout.write(`\nFailed at first, passed in the second run:\n${names}\n`);
      ({ code, leaked } = second);
      results = replaceResults(results, second.results);
      last = second.results;
    }
    line = summaryLine(results);
    const slowest = slowestFiles(results, ROOT, SLOWEST);
    if (slowest.length > 1) process.stdout.write(`\nThe slowest files:\n${slowest.join('\n')}\n`);
    if (before && after) process.stdout.write(`\nThe cores were idle for ${idlePercent(before, after)} %.\n`);
    if (isShort) process.stdout.write(`\n${longFiles.length} long files were left out: npm test -- --full\n`);
    const failures = failedTests(last, ROOT);
    if (failures.length > 0) process.stdout.write(`\nFailed:\n${failures.join('\n')}\n`);
    if (!leaked) return code;
    process.stderr.write('\nThe tests are done, but an open handle keeps jest from exiting.\n');
    process.stderr.write('Find it with: npm test -- --detectOpenHandles --runInBand\n');
    return 1;
  };
  const code = await withServers(work, { preferPrivate: isWhole ? PREFERRED_BY_ALL_TESTS : [] });
  if (line) process.stdout.write(`\n${line}\n`);
  return code;
});
