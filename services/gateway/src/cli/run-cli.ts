import { AppError, causesOf, isConnectivityError } from '@parley/kit/errors';
import { CommanderError } from 'commander';
import type { CliConfig } from '../config.ts';
import { PlainText, type Run } from './command.ts';
import { buildProgram } from './program.ts';

/**
 * Runs one command and returns the exit code. Writes exactly one line of JSON to stdout (`sip trace`: text), or an error message to stderr.
 */
export async function runCli(argv: string[], readConfig: () => CliConfig): Promise<number> {
  const run: Run = async (work) => {
    // Loaded only here, so that --help needs neither a configuration nor a generated Prisma client.
    const { openCliContext } = await import('./cli-context.ts');
    const context = await openCliContext(readConfig());
    try {
      const result = await work(context);
      process.stdout.write(result instanceof PlainText ? result.text : `${JSON.stringify(result)}\n`);
    } finally {
      await context.close();
    }
  };
  try {
    await buildProgram(run).parseAsync(argv);
    return 0;
  } catch (err) {
    // Commander has printed the error or the help.
    if (err instanceof CommanderError) return err.exitCode;
    process.stderr.write(`${sentence(err)}\n`);
    return 1;
  }
}

function sentence(err: unknown): string {
  if (err instanceof AppError && err.code !== 'INTERNAL_ERROR') return err.message;
  if (isConnectivityError(err)) {
    // Prisma's adapter keeps the database's words in `originalMessage`.
    const reasons = [...causesOf(err)].map(({ originalMessage, message }) => originalMessage ?? message);
    const reason = reasons.findLast(Boolean);
    return `The database or a service cannot be reached${reason ? ` (${reason})` : ''}. Is Parley running?`;
  }
  return err instanceof Error ? err.message : String(err);
}
