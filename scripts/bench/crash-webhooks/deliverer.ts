import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, serviceFolder } from '../../stack/folders.ts';

const FOLLOW_PARENT = fileURLToPath(new URL('../../processes/follow-parent.mjs', import.meta.url));
/** Compiled: a process that is killed every other second has to be back soon. */
const MAIN = join(serviceFolder('webhooks'), 'dist/main.js');

/** A process of webhooks that is killed, and started again at once, as whatever keeps it running would. */
export type Deliverer = {
  /** It listens. */
  isUp(): boolean;
  /** SIGKILL; resolves when it is gone and the next one is starting. */
  crash(): Promise<void>;
  end(): Promise<void>;
};

type Life = { child: ChildProcess; isUp: boolean };

export function startDeliverer(env: NodeJS.ProcessEnv): Deliverer {
  let isWanted = true;
  const start = (): Life => {
    const started = begin(env);
    // It may fail to start while a server is away, and is tried again.
    started.child.once('exit', (code, signal) => {
      if (signal === 'SIGKILL' || !isWanted) return;
      console.log(`a deliverer ended by itself with ${code ?? signal}`);
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
    isUp: () => life.isUp,
    crash: async () => {
      await kill('SIGKILL');
      life = start();
    },
    end: () => {
      isWanted = false;
      return kill('SIGTERM');
    },
  };
}

function begin(env: NodeJS.ProcessEnv): Life {
  const child = spawn(process.execPath, ['--enable-source-maps', '--import', FOLLOW_PARENT, MAIN], {
    cwd: ROOT,
    env: { ...env, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const life: Life = { child, isUp: false };
  child.on('message', (message: { listening?: number }) => {
    if (message.listening) life.isUp = true;
  });
  // Their errors are those of servers that are away.
  child.stdout?.resume();
  return life;
}
