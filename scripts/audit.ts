import { judgeAudit } from './audit/judge-audit.ts';
import { runProgram } from './processes/run-program.ts';
import { ROOT } from './stack/folders.ts';
import { runScript } from './terminal/run-script.ts';

/** A registry that is slow must not hold up who asks. */
const TIMEOUT_MS = 60_000;

// `npm run audit`: fails when a dependency that production runs has a known hole of high or critical severity. A registry
// that can't be asked fails nothing: it says nothing of the code.
runScript(async () => {
  const [program = 'pnpm', ...args] = process.argv.slice(2);
  const { stdout, stderr } = await runProgram(program, [...args, 'audit', '--prod', '--json'], {
    cwd: ROOT,
    timeoutMs: TIMEOUT_MS,
  });
  const { ok, lines } = judgeAudit(stdout.trim() === '' ? stderr : stdout);
  process.stdout.write(`${lines.join('\n')}\n`);
  return ok ? 0 : 1;
});
