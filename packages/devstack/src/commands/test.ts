import { withServers } from '../servers/with-servers.ts';
import { ROOT } from '../stack/folders.ts';
import { Problem } from '../terminal/problem.ts';
import { runScript } from '../terminal/run-script.ts';
import { runJest } from '../test-run/run-jest.ts';
import { slowestFiles, summaryLine } from '../test-run/summary.ts';

const SLOWEST = 15;

// `npm test [-- paths and flags of jest]`: all tests against real servers; the last line is `N passed, N failed, N skipped`. `--changed` runs the tests that
// depend on what changed since main
runScript(async () => {
  let line = '';
  const code = await withServers(async (env, signal) => {
    const { code, results, leaked } = await runJest(process.argv.slice(2), env, signal);
    if (!results) throw new Problem('jest has ended without results.');
    line = summaryLine(results);
    const slowest = slowestFiles(results, ROOT, SLOWEST);
    if (slowest.length > 1) process.stdout.write(`\nThe slowest files:\n${slowest.join('\n')}\n`);
    if (!leaked) return code;
    process.stderr.write('\nThe tests are done, but one left something open that keeps jest from ending.\n');
    process.stderr.write('Find it with: npm test -- --detectOpenHandles --runInBand\n');
    return 1;
  });
  if (line) process.stdout.write(`\n${line}\n`);
  return code;
});
