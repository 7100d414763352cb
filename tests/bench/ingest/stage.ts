import { randomBytes, randomUUID } from 'node:crypto';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { amqpPrefix, amqpUrl, freePort, internalKeys, redisUrl, testDatabase } from '@parley/testkit';
import { fakePeersOfCampaigns } from '@parley/testkit/fakes';
import { type ServiceProcess, startOperator, startService, type Workspace } from '@parley/testkit/stage';

export type Stage = {
  gateway: ServiceProcess;
  campaigns: ServiceProcess;
  /** A private key of a workspace with very high limits. */
  key: string;
  /** An assistant and a number of the workspace. */
  agentId: string;
  phoneNumber: string;
};

/** Gateway and campaigns in separate processes; assistants and telephony are faked. */
export async function setStage(lifecycle: Lifecycle, log: Log): Promise<Stage> {
  const secret = randomBytes(32).toString('hex');
  const peers = await fakePeersOfCampaigns(secret, lifecycle, log);
  const { prefix, remove } = amqpPrefix();
  lifecycle.onStop('prefix', remove);
  const shared = {
    LOG_LEVEL: 'fatal',
    AMQP_URL: amqpUrl(),
    AMQP_PREFIX: prefix,
    ASSISTANTS_URL: peers.url,
    TELEPHONY_URL: peers.url,
  };
  const databaseOf = async (service: 'gateway' | 'campaigns'): Promise<string> => {
    const database = await testDatabase(service, { durable: true });
    lifecycle.onStop(`database of ${service}`, database.drop);
    return database.url;
  };
  const ofCampaigns = { ...shared, DATABASE_URL: await databaseOf('campaigns') };
  const campaigns = await startService('campaigns', { env: ofCampaigns, secret }, lifecycle);
  const env = {
    ...shared,
    ...internalKeys(secret, 'gateway'),
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
  const gateway = await startService('gateway', { env, secret }, lifecycle);
  const operator = startOperator(env);
  lifecycle.onStop('operator', operator.stop);
  const made = (await operator.run('workspace', 'create', '--name', 'Bench')) as Workspace;
  const { workspace_id, private_key } = made;
  await operator.run('workspace', 'set', '--workspace', workspace_id, '--requests-per-minute', '100000');
  const agentId = randomUUID();
  const phoneNumber = '+14155550100';
  peers.agents.add(agentId);
  peers.numbers.set(phoneNumber, randomUUID());
  return { gateway, campaigns, key: private_key, agentId, phoneNumber };
}
