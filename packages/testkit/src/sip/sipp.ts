import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../ports.ts';
import { type Step, scenarioXml } from './scenario.ts';

/** Whether sipp (Debian: `sip-tester`) is installed. */
export function hasSipp(): boolean {
  return spawnSync('sipp', ['-v']).error === undefined;
}

export type SippOptions = {
  steps: readonly Step[];
  /** `t1`: one TCP connection for all calls; `u1`: UDP. */
  transport?: 't1' | 'u1';
  /** Where to call; undefined: it is called. */
  target?: string;
  port?: number;
  /** Calls in all, and a second. */
  calls?: number;
  rate?: number;
  /** Returns all audio that it receives. */
  echoes?: boolean;
  timeoutSeconds?: number;
  extra?: readonly string[];
};

export type Sipp = {
  port: number;
  /** Resolves when all calls are over: 0 if every one went by the scenario. */
  exited: Promise<{ code: number | null; errors: string }>;
  stop(): Promise<void>;
};

/** Another process may take a free port before sipp does. */
const TRIES = 3;
const PORT_TAKEN = /Unable to bind/;

/** Starts sipp with a scenario of its own; a call that strays from the scenario has failed. */
export async function startSipp(options: SippOptions): Promise<Sipp> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start(options);
    } catch (err) {
      if (tries === TRIES || !PORT_TAKEN.test(String(err))) throw err;
    }
  }
}

async function start(options: SippOptions): Promise<Sipp> {
  const { steps, transport = 't1', target, calls = 1, rate = 10, timeoutSeconds = 60 } = options;
  const folder = await mkdtemp(join(tmpdir(), 'parley-sipp-'));
  const file = join(folder, 'scenario.xml');
  const errorFile = join(folder, 'errors.log');
  await writeFile(file, scenarioXml('scenario', steps));
  const port = options.port ?? (await freePort());
  const mediaPort = await freeMediaPort();
  const child: ChildProcess = spawn(
    'sipp',
    [
      ...(target === undefined ? [] : [target]),
      ...['-sf', file, '-i', '127.0.0.1', '-p', String(port), '-mp', String(mediaPort)],
      ...[
        '-t',
        transport,
        '-m',
        String(calls),
        '-r',
        String(rate),
        '-nostdin',
        '-timeout',
        `${timeoutSeconds}s`,
      ],
      ...['-timeout_error', '-trace_err', '-error_file', errorFile, '-max_socket', '4000'],
      ...(options.echoes ? ['-rtp_echo'] : []),
      ...(options.extra ?? []),
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  const keep = (bytes: Buffer): void => {
    output = (output + bytes.toString()).slice(-4_000);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const exited = new Promise<{ code: number | null; errors: string }>((resolve) => {
    child.once('exit', (code) => {
      const read = readFile(errorFile, 'utf8').catch(() => output);
      void read.then(async (errors) => {
        await rm(folder, { recursive: true, force: true });
        resolve({ code, errors });
      });
    });
  });
  if (target === undefined) await isListening(port, transport, exited);
  return {
    port,
    exited,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Even, with the one for video free too; outside of where the system and workers take theirs. */
async function freeMediaPort(): Promise<number> {
  for (;;) {
    const port = 2 * randomInt(10_000, 15_000);
    if ((await isFreeForUdp(port)) && (await isFreeForUdp(port + 2))) return port;
  }
}

function isFreeForUdp(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  return new Promise((resolve) => {
    socket.once('error', () => resolve(false));
    socket.bind(port, '127.0.0.1', () => socket.close(() => resolve(true)));
  });
}

/** sipp says nothing when it is ready. */
async function isListening(port: number, transport: 't1' | 'u1', exited: Sipp['exited']): Promise<void> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const table = transport === 't1' ? '/proc/net/tcp' : '/proc/net/udp';
  let isOver = false;
  void exited.then(() => {
    isOver = true;
  });
  for (let tries = 0; tries < 600 && !isOver; tries += 1) {
    if ((await readFile(table, 'utf8')).includes(`:${hex} `)) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  const { code, errors } = isOver ? await exited : { code: undefined, errors: '' };
  throw new Error(
    `sipp does not listen at ${port}; it ${code === undefined ? 'runs' : `exited with ${code}: ${errors}`}`,
  );
}
