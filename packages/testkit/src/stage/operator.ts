import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleOf, COMMAND_LINE } from '@parley/devstack';
import { z } from 'zod';
import { endProcess } from './end-process.ts';

export type Operator = {
  /** Runs `parley ARGS`; returns what it printed, parsed. Rejects with its error output. */
  run(...args: string[]): Promise<unknown>;
  stop(): Promise<void>;
};

const answer = z.object({ ok: z.boolean(), stdout: z.string(), stderr: z.string() });

/** The operator's command of the gateway with this environment, compiled and bundled, in one process for all commands. */
export function startOperator(env: NodeJS.ProcessEnv): Operator {
  const commandLine = pathToFileURL(bundleOf(COMMAND_LINE)).href;
  const child = fork(join(import.meta.dirname, 'operator-process.mjs'), [], {
    env: { ...process.env, ...env, COMMAND_LINE: commandLine, NODE_OPTIONS: '' },
    execArgv: [],
  });
  const ended = once(child, 'exit').then(() => [{ ok: false, stdout: '', stderr: 'the process has ended' }]);
  let last: Promise<unknown> = Promise.resolve();
  const run = async (args: string[]): Promise<unknown> => {
    child.send({ args });
    const [message] = await Promise.race([once(child, 'message'), ended]);
    const { ok, stdout, stderr } = answer.parse(message);
    if (!ok) throw new Error(`parley ${args.join(' ')}: ${stderr}`);
    return stdout.trim() === '' ? {} : JSON.parse(stdout);
  };
  return {
    run: (...args) => {
      const next = last.then(() => run(args));
      last = next.catch(() => undefined);
      return next;
    },
    stop: () => endProcess(child),
  };
}
