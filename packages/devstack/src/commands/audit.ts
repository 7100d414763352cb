import { setTimeout as sleep } from 'node:timers/promises';
import { runAudit } from '../audit/run-audit.ts';
import { runProgram } from '../processes/run-program.ts';
import { ROOT } from '../stack/folders.ts';
import { runScript } from '../terminal/run-script.ts';

/** A slow registry must not block the caller. */
const TIMEOUT_MS = 30_000;

// `npm run audit`: exits with 1 if a production dependency has a known vulnerability of high or critical severity, and with 2 if
// there is no report.
runScript(async () => {
  const [program = 'pnpm', ...args] = process.argv.slice(2);
  const fetchReport = async (): Promise<string> => {
    const options = { cwd: ROOT, timeoutMs: TIMEOUT_MS };
    const { stdout, stderr } = await runProgram(program, [...args, 'audit', '--prod', '--json'], options);
    const output = stdout.trim() === '' ? stderr : stdout;
    return output.trim() === '' ? `no output within ${TIMEOUT_MS / 1_000} s` : output;
  };
  const { exitCode, lines } = await runAudit(fetchReport, sleep);
  process.stdout.write(`${lines.join('\n')}\n`);
  return exitCode;
});
