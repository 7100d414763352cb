import { join } from 'node:path';
import type { Hint } from '../terminal/steps.ts';
import type { Source } from './choose-source.ts';
import { waitForGiven } from './given-server.ts';
import { startPrivatePostgres } from './private-postgres.ts';
import { startPrivateRabbitmq } from './private-rabbitmq.ts';
import { startPrivateRedis } from './private-redis.ts';
import type { PrivateSetting } from './private-server.ts';
import { type RunningServer, SERVERS, type ServerKind } from './server-kinds.ts';

const PRIVATE = { postgres: startPrivatePostgres, redis: startPrivateRedis, rabbitmq: startPrivateRabbitmq };

/** Starts one server with the chosen method, or uses a running one. */
export async function startServer(
  kind: ServerKind,
  source: Source,
  setting: PrivateSetting,
  hint: Hint,
): Promise<RunningServer> {
  const { variable, usualPort } = SERVERS[kind];
  const stop = async () => undefined;
  if (source.type === 'environment') {
    hint(`waiting for the one of ${variable}`);
    const version = await waitForGiven(kind, source.url, setting.signal);
    return { kind, url: source.url, about: `${version}, from ${variable}`, stop };
  }
  if (source.type === 'local') {
    const about = `${source.version}, already running at 127.0.0.1:${usualPort}`;
    return { kind, url: source.url, about, stop };
  }
  hint('starting a private one');
  return PRIVATE[kind]({ ...setting, folder: join(setting.folder, kind) });
}
