import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiledEntry, FOLLOW_PARENT, ROOT } from '@parley/devstack';

export type Role = 'http' | 'worker' | 'dispatcher' | 'deliverer';

const MAIN_OF: Record<Role, string> = {
  http: compiledEntry('telephony', 'api'),
  worker: compiledEntry('telephony', 'worker'),
  dispatcher: compiledEntry('campaigns'),
  deliverer: compiledEntry('webhooks'),
};

/** A process of a service that is killed, and started again at once, as whatever keeps it running would. */
export type Victim = {
  role: Role;
  /** Of the process that it is now; 0 where it could not be started. */
  pid(): number;
  /** Where it listens; undefined until it does. */
  port(): number | undefined;
  /** What it said last. */
  said(): string[];
  /** The worker that it is; undefined until it is one. */
  workerId(): string | undefined;
  /** SIGKILL; resolves when it is gone and the next one is starting. */
  crash(): Promise<void>;
  /**
   * It kills itself at the point, if its preload is `crash-campaigns/crash-at.mjs`, and is started again. False: it
   * did not come to it in time, and lives on.
   */
  dieAt(point: CrashPoint, withinMs: number): Promise<boolean>;
  end(): Promise<void>;
};

/** A statement to the database that matches, with such a value if one is given, and when around it, or around the commit of its transaction. */
export type CrashPoint = {
  statement: string;
  value?: string;
  when: 'before' | 'after' | 'before commit' | 'after commit';
};

type Life = { child: ChildProcess; port?: number; workerId?: string; last: string[] };

/** What it said last, should it end by itself. */
const LINES_KEPT = 5;

export function startVictim(role: Role, env: NodeJS.ProcessEnv, preloads: readonly string[] = []): Victim {
  let isWanted = true;
  const start = (): Life => {
    const started = begin(role, env, preloads);
    // It may fail to start on a machine that is too busy, and is tried again.
    started.child.once('exit', (code, signal) => {
      if (signal === 'SIGKILL' || !isWanted) return;
      console.log(`${role} ended by itself with ${code ?? signal}: ${started.last.join('\n')}`);
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
    said: () => [`${life.child.pid} ${life.child.exitCode ?? life.child.signalCode ?? 'runs'}`, ...life.last],
    workerId: () => life.workerId,
    crash: async () => {
      await kill('SIGKILL');
      life = start();
    },
    dieAt: async (point, withinMs) => {
      const { child } = life;
      const gone = once(child, 'exit').then(() => true);
      // It may be dying of something else.
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
  // Compiled: a process that is killed every other second has to be back soon.
  const imports = [FOLLOW_PARENT, ...preloads].flatMap((file) => ['--import', file]);
  const child = spawn(process.execPath, ['--enable-source-maps', ...imports, MAIN_OF[role]], {
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
