import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleOf, compiledEntry, FOLLOW_PARENT, ROOT } from '@parley/devstack';

export type Role = 'http' | 'worker' | 'dispatcher' | 'deliverer';

const MAIN_OF: Record<Role, string> = {
  http: bundleOf(compiledEntry('telephony', 'api')),
  worker: bundleOf(compiledEntry('telephony', 'worker')),
  dispatcher: bundleOf(compiledEntry('campaigns')),
  deliverer: bundleOf(compiledEntry('webhooks')),
};

/** A process of a service that a test kills, and that is restarted immediately, as by an orchestrator. */
export type Victim = {
  role: Role;
  /** Id of the current process; 0 if it could not be started. */
  pid(): number;
  /** Its URL; undefined until it listens. */
  port(): number | undefined;
  /** Its process id and exit code, and the last lines of its output. */
  lastOutput(): string[];
  /** Its worker id; undefined until it has registered. */
  workerId(): string | undefined;
  /** Sends SIGKILL; resolves when the process has exited and the next one is starting. */
  crash(): Promise<void>;
  /**
   * Makes the process kill itself at the given point, with the preload `crash-campaigns/crash-at.mjs`, and restarts it. False if it
   * did not reach the point in time, and is still running.
   */
  dieAt(point: CrashPoint, withinMs: number): Promise<boolean>;
  end(): Promise<void>;
};

/** A statement to the database, optionally with a value, and the moment relative to it or to the commit of its transaction. */
export type CrashPoint = {
  statement: string;
  value?: string;
  when: 'before' | 'after' | 'before commit' | 'after commit';
};

type Life = { child: ChildProcess; port?: number; workerId?: string; last: string[] };

/** The last lines of its output, in case it exits on its own. */
const LINES_KEPT = 5;

export function startVictim(role: Role, env: NodeJS.ProcessEnv, preloads: readonly string[] = []): Victim {
  let isWanted = true;
  const start = (): Life => {
    const started = begin(role, env, preloads);
    // A start may fail on a busy machine, and is retried.
    started.child.once('exit', (code, signal) => {
      if (signal === 'SIGKILL' || !isWanted) return;
      console.log(`${role} exited with ${code ?? signal}: ${started.last.join('\n')}`);
      life = start();
    });
    return started;
  };
  let life = start();
  const kill = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    const { child } = life;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  };
  return {
    role,
    pid: () => life.child.pid ?? 0,
    port: () => life.port,
    lastOutput: () => [
      `${life.child.pid} ${life.child.exitCode ?? life.child.signalCode ?? 'runs'}`,
      ...life.last,
    ],
    workerId: () => life.workerId,
    crash: async () => {
      await kill('SIGKILL');
      life = start();
    },
    dieAt: async (point, withinMs) => {
      const { child } = life;
      const gone = once(child, 'exit').then(() => true);
      // It may be exiting for another reason.
      child.send({ crashAt: point }, () => {});
      if (!(await Promise.race([gone, sleep(withinMs, false, { ref: false })]))) {
        if (child.connected) child.send({ crashAt: null }, () => {});
        return false;
      }
      if (child.signalCode === 'SIGKILL') life = start();
      return true;
    },
    end: () => {
      isWanted = false;
      return kill('SIGTERM');
    },
  };
}

function begin(role: Role, env: NodeJS.ProcessEnv, preloads: readonly string[]): Life {
  // Compiled and bundled, since a process that is killed every other second must restart quickly.
  const imports = [FOLLOW_PARENT, ...preloads].flatMap((file) => ['--import', file]);
  const child = spawn(process.execPath, [...imports, MAIN_OF[role]], {
    cwd: ROOT,
    env: { LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const life: Life = { child, last: [] };
  child.on('message', (message: { listening?: number }) => {
    if (message.listening) life.port = message.listening;
  });
  if (child.stdout) {
    createInterface(child.stdout).on('line', (line) => {
      life.last = [...life.last, line].slice(-LINES_KEPT);
      if (/"level":"(error|fatal)"/.test(line)) console.error(line);
      const workerId = line.includes('call worker started') && /"workerId":"([^"]+)"/.exec(line)?.[1];
      if (workerId) life.workerId = workerId;
    });
  }
  return life;
}
