import { type Command, Option } from 'commander';
import * as read from './arguments.ts';
import type { CliContext } from './cli-context.ts';

/** Opens the context, prints what `work` returns, closes the context. */
export type Run = (work: (context: CliContext) => Promise<unknown>) => Promise<void>;

/** Printed as it is, for people; everything else is printed as JSON. */
export class PlainText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export function group(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).exitOverride();
}

export const workspaceOption = () =>
  new Option('--workspace <id>', 'the workspace').makeOptionMandatory().argParser(read.id);

export const idOption = (what: string) =>
  new Option('--id <id>', what).makeOptionMandatory().argParser(read.id);
