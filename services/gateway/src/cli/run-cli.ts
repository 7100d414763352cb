import { AppError, isConnectivityError } from '@parley/kit/errors';
import { CommanderError } from 'commander';
import type { CliConfig } from './cli-config.ts';
import { openCliContext } from './cli-context.ts';
import type { Run } from './command-group.ts';
import { buildProgram } from './program.ts';

/**
 * Runs one command and returns the exit code. What it made is one line of JSON on stdout, and nothing else is there;
 * an error is a sentence on stderr.
 */
export async function runCli(argv: string[], readConfig: () => CliConfig): Promise<number> {
  const run: Run = async (work) => {
    const context = await openCliContext(readConfig());
    try {
      process.stdout.write(`${JSON.stringify(await work(context))}\n`);
    } finally {
      await context.close();
    }
  };
  try {
    await buildProgram(run).parseAsync(argv);
    return 0;
  } catch (err) {
    // Commander has printed its own sentence, or the help that was asked for.
    if (err instanceof CommanderError) return err.exitCode;
    process.stderr.write(`${sentence(err)}\n`);
    return 1;
  }
}

function sentence(err: unknown): string {
  if (err instanceof AppError && err.code !== 'INTERNAL_ERROR') return err.message;
  if (isConnectivityError(err)) return 'The database or a service cannot be reached. Is Parley running?';
  return err instanceof Error ? err.message : String(err);
}
