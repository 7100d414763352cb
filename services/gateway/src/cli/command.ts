import { userInfo } from 'node:os';
import { type Actor, NO_WORKSPACE } from '@parley/kit/http';
import { type Command, Option } from 'commander';
import * as read from './arguments.ts';
import type { CliContext } from './cli-context.ts';

/** Opens the context, prints what `work` returns, closes the context. */
export type Run = (work: (context: CliContext) => Promise<unknown>) => Promise<void>;

export function group(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).exitOverride();
}

export const workspaceOption = () =>
  new Option('--workspace <id>', 'the workspace').makeOptionMandatory().argParser(read.id);

export const idOption = (what: string) =>
  new Option('--id <id>', what).makeOptionMandatory().argParser(read.id);

const user = userName();

/** The author of the operator's changes. */
export const BY = { kind: 'operator', user } as const;

/** The operator as the caller of other services. */
export const OPERATOR = { workspaceId: NO_WORKSPACE, actor: { kind: 'operator', id: user } as Actor };

/** The user of the operating system; in a container there may be no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
