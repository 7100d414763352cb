import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../rtpengine.sh', import.meta.url));
const STARTS_WITHIN_MS = 10_000;

/** Whether rtpengine (Debian: `rtpengine-daemon`) is installed. */
export const hasRtpengine = (): boolean => spawnSync('rtpengine', ['--version']).error === undefined;

/** Starts rtpengine on loopback as its image does, and waits until it listens. */
export async function startRtpengine({
  controlPort,
  ports,
}: {
  controlPort: number;
  ports: { min: number; max: number };
}): Promise<{ socket: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-rtpengine-'));
  const control = `127.0.0.1:${controlPort}`;
  const settings = [
    'RTPENGINE_ADDRESS=127.0.0.1',
    `RTPENGINE_CONTROL=${control}`,
    `RTPENGINE_PORT_MIN=${ports.min}`,
    `RTPENGINE_PORT_MAX=${ports.max}`,
    `RTPENGINE_RUN_FOLDER=${folder}`,
    'RTPENGINE_LOG_LEVEL=6',
  ];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', 'env', ...settings, 'sh', SCRIPT], {
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
  return { socket: `udp:${control}`, stop };
}
