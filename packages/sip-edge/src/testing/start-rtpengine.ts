import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../rtpengine.sh', import.meta.url));
const STARTS_WITHIN_MS = 10_000;
const ANSWERS_WITHIN_MS = 3_000;

/** Whether rtpengine (Debian: `rtpengine-daemon`) is installed. */
export const hasRtpengine = (): boolean => spawnSync('rtpengine', ['--version']).error === undefined;

export type RunningRtpengine = {
  /** Of the edge's settings. */
  socket: string;
  /** The Call-IDs of its sessions. */
  calls(): Promise<string[]>;
  stop(): Promise<void>;
};

/** Starts rtpengine on loopback as its image does, and waits until it listens. */
export async function startRtpengine({
  controlPort,
  ports,
  publicAddress = '127.0.0.1',
  more = [],
}: {
  controlPort: number;
  ports: { min: number; max: number };
  /** Written into descriptions for carriers; nothing listens there. */
  publicAddress?: string;
  /** Further options of rtpengine. */
  more?: readonly string[];
}): Promise<RunningRtpengine> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-rtpengine-'));
  const control = `127.0.0.1:${controlPort}`;
  const settings = [
    'RTPENGINE_ADDRESS=127.0.0.1',
    `RTPENGINE_PUBLIC_ADDRESS=${publicAddress}`,
    `RTPENGINE_CONTROL=${control}`,
    `RTPENGINE_PORT_MIN=${ports.min}`,
    `RTPENGINE_PORT_MAX=${ports.max}`,
    `RTPENGINE_RUN_FOLDER=${folder}`,
    'RTPENGINE_LOG_LEVEL=6',
  ];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', 'env', ...settings, 'sh', SCRIPT, ...more], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-20_000);
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const giveUpAt = performance.now() + STARTS_WITHIN_MS;
  while (!/startup complete/i.test(output)) {
    if (child.exitCode !== null || performance.now() > giveUpAt) {
      await stop();
      throw new Error(`rtpengine did not start:\n${output.slice(-2_000)}`);
    }
    await sleep(25);
  }
  return { socket: `udp:${control}`, calls: () => listCalls(controlPort), stop };
}

/** Of its control protocol: a cookie, then bencoded values. */
function listCalls(controlPort: number): Promise<string[]> {
  const socket = createSocket('udp4');
  const cookie = randomUUID();
  return new Promise<string[]>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('rtpengine did not list its calls')), ANSWERS_WITHIN_MS);
    socket.once('message', (data) => {
      clearTimeout(timer);
      const list = /5:callsl(.*?)e6:result/s.exec(data.toString())?.[1] ?? '';
      resolve(strings(list));
    });
    socket.send(`${cookie} d7:command4:list5:limiti1000ee`, controlPort, '127.0.0.1');
  }).finally(() => socket.close());
}

function strings(list: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < list.length; ) {
    const colon = list.indexOf(':', at);
    const end = colon + 1 + Number(list.slice(at, colon));
    found.push(list.slice(colon + 1, end));
    at = end;
  }
  return found;
}
