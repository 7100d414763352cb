import type { Command } from 'commander';
import type { CliContext } from './cli-context.ts';

/** Opens the context, prints what the work returns, closes the context. */
export type Run = (work: (context: CliContext) => Promise<unknown>) => Promise<void>;

export function group(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).exitOverride();
}
