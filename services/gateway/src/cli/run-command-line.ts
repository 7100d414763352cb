import { parseConfig } from '@parley/kit/config';
import { cliConfigSchema } from '../config.ts';
import { runCli } from './run-cli.ts';

/** Runs the command that `argv` names, with the configuration of an environment; returns the exit code. */
export const runCommandLine = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runCli(argv, () => parseConfig(cliConfigSchema, env));
