import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { anyFreePort } from '../processes/ports.ts';
import { serverProgram } from './installed-program.ts';
import { launch, type PrivateSetting } from './private-server.ts';
import type { RunningServer } from './server-kinds.ts';

/** A Redis of our own. It persists nothing: the platform's data in Redis may be lost at any time. */
export async function startPrivateRedis(setting: PrivateSetting): Promise<RunningServer> {
  const { folder, password } = setting;
  const port = await anyFreePort();
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'redis.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${JSON.stringify(folder)}`,
    'save ""',
    'appendonly no',
  ];
  // In a file, since every user of the machine can read a command line.
  writeFileSync(config, [...lines, `requirepass ${password}`, ''].join('\n'), { mode: 0o600 });

  const url = `redis://:${password}@127.0.0.1:${port}`;
  // Redis appears as `redis-server 127.0.0.1:port` in the list of processes.
  const stop = await launch(
    {
      kind: 'redis',
      command: [serverProgram('redis') ?? 'redis-server', config],
      logFile: join(folder, 'redis.log'),
      stopSignal: 'SIGTERM',
      marker: `127.0.0.1:${port}`,
    },
    url,
    setting,
  );
  return { kind: 'redis', url, about: `private, 127.0.0.1:${port}`, stop };
}
