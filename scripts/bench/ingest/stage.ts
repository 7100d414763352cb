import { randomBytes, randomUUID } from 'node:crypto';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { amqpPrefix, amqpUrl, freePort, redisUrl, testDatabase } from '@parley/testkit';
import { fakePeers } from '../../../services/campaigns/tests/fake-peers.ts';
import { runOperator, type ServiceProcess, startService } from './processes.ts';

export type Stage = {
  gateway: ServiceProcess;
  campaigns: ServiceProcess;
  /** A private key of a workspace without limits to speak of. */
  key: string;
  /** An assistant and a number of the workspace. */
  agentId: string;
  phoneNumber: string;
};

/** Gateway and campaigns as processes of their own; assistants and telephony are faked. */
export async function setStage(lifecycle: Lifecycle, log: Log): Promise<Stage> {
  const secret = randomBytes(32).toString('hex');
  const peers = await fakePeers(secret, lifecycle, log);
  const { prefix, remove } = amqpPrefix();
  lifecycle.onStop('prefix', remove);
  const shared = {
    NODE_ENV: 'production',
    LOG_LEVEL: 'fatal',
    AMQP_URL: amqpUrl(),
    AMQP_PREFIX: prefix,
    INTERNAL_TOKEN_SECRET: secret,
    ASSISTANTS_URL: peers.url,
    TELEPHONY_URL: peers.url,
  };
  const databaseOf = async (service: 'gateway' | 'campaigns'): Promise<string> => {
    const database = await testDatabase(service, { durable: true });
    lifecycle.onStop(`database of ${service}`, database.drop);
    return database.url;
  };
  const port = String(await freePort());
  const campaigns = await startService(
    'campaigns',
    { ...shared, PORT: port, DATABASE_URL: await databaseOf('campaigns') },
    lifecycle,
  );
  const env = {
    ...shared,
    PORT: String(await freePort()),
    INTERNAL_PORT: String(await freePort()),
    DATABASE_URL: await databaseOf('gateway'),
    REDIS_URL: redisUrl(),
    REDIS_PREFIX: prefix,
    KEY_PEPPER: secret,
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    CAMPAIGNS_URL: campaigns.url,
    GATEWAY_INTERNAL_URL: peers.url,
    WEBHOOKS_URL: peers.url,
    RATE_LIMIT_BURST: '100000',
  };
  const gateway = await startService('gateway', env, lifecycle);
  const { workspace_id = '', private_key = '' } = await runOperator(
    ['workspace', 'create', '--name', 'Bench'],
    env,
  );
  await runOperator(
    ['workspace', 'set', '--workspace', workspace_id, '--requests-per-minute', '100000'],
    env,
  );
  const agentId = randomUUID();
  const phoneNumber = '+14155550100';
  peers.agents.add(agentId);
  peers.numbers.set(phoneNumber, randomUUID());
  return { gateway, campaigns, key: private_key, agentId, phoneNumber };
}
