import { randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleServices } from '@parley/devstack';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { amqpUrl } from '../addresses.ts';
import { amqpPrefix } from '../amqp-prefix.ts';
import { fakePeersOfTelephony } from '../fakes/telephony-peers.ts';
import { internalKeys, internalTokensOfPeers } from '../internal-keys.ts';
import { internalToken } from '../internal-token.ts';
import { retryingSql } from '../load/retrying-sql.ts';
import { freePort } from '../ports.ts';
import type { SqlClient } from '../sql-client.ts';
import { testDatabase } from '../test-database.ts';
import { startVictim, type Victim } from './victim.ts';

/** For a busy machine. */
const START_MS = 240_000;
const CONNECT_TRIES = 20;
/** Connections per process: several replicas share the connections of Postgres. */
const DATABASE_POOL = '4';

export type DialingAnswer = { status: number; data: Record<string, unknown>; text: string };

/** Campaigns and telephony as real services in processes of their own; the other services are faked. */
export type DialingStage = {
  campaignsSql: SqlClient;
  telephonySql: SqlClient;
  prefix: string;
  workspaceId: string;
  http: Victim;
  workers: Victim[];
  dispatchers: Victim[];
  /** Creates a number with this dial rate and an assistant, by default on a simulated trunk. */
  connectNumber(maxCps: number, trunk?: { termination_uri: string; transport?: string }): Promise<Line>;
  /** Sends a request to telephony's HTTP process, or to the first dispatcher that is up; rejects if it dies before it responds. */
  post(service: 'telephony' | 'campaigns', path: string, body?: object): Promise<DialingAnswer>;
};

export type Line = { phoneNumber: string; agentId: string };

export type DialingOptions = {
  rate?: number;
  workers: number;
  dispatchers: number;
  preloads?: readonly string[];
  /** Variables of all processes, such as the carriers of calls. */
  env?: Readonly<Record<string, string>>;
};

const SIMULATED = { termination_uri: 'sip.example.com' };

export async function stageDialing(
  { rate = 1, workers, dispatchers, preloads = [], env: more = {} }: DialingOptions,
  lifecycle: Lifecycle,
): Promise<DialingStage> {
  await bundleServices();
  const campaigns = await testDatabase('campaigns', { durable: true });
  lifecycle.onStop('database of campaigns', campaigns.drop);
  const telephony = await testDatabase('telephony', { durable: true });
  lifecycle.onStop('database of telephony', telephony.drop);
  const { prefix, remove } = amqpPrefix();
  lifecycle.onStop('prefix', remove);
  const secret = randomBytes(32).toString('hex');
  const log = createLogger({ service: 'peers', level: 'silent' });
  const peers = await fakePeersOfTelephony({
    internalTokens: internalTokensOfPeers(secret, ['gateway', 'assistants', 'campaigns']),
    log,
    lifecycle,
  });
  lifecycle.onStop('peers', peers.close);
  const campaignsSql = retryingSql(campaigns.url);
  lifecycle.onStop('pool of campaigns', campaignsSql.close);
  const telephonySql = retryingSql(telephony.url);
  lifecycle.onStop('pool of telephony', telephonySql.close);

  const telephonyPort = await freePort();
  const env = {
    DATABASE_POOL,
    ...process.env,
    PORT: '0',
    NODE_ENV: 'test',
    CLOCK_RATE: String(rate),
    CLOCK_ORIGIN_MS: String(Date.now()),
    DATABASE_URL: telephony.url,
    AMQP_URL: amqpUrl(),
    AMQP_PREFIX: prefix,
    ...internalKeys(secret, 'telephony'),
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    PUBLIC_URL: 'https://parley.example',
    RECORDING_URL_SECRET: secret,
    RECORDINGS_DIR: join(tmpdir(), 'parley-bench-recordings'),
    RECORDING_SPEECH: 'tones',
    ASSISTANTS_URL: peers.assistants.url.replace(/\/$/, ''),
    GATEWAY_INTERNAL_URL: peers.gateway.url.replace(/\/$/, ''),
    CAMPAIGNS_URL: peers.campaigns.url.replace(/\/$/, ''),
    ...more,
  };
  const http = startVictim('http', { ...env, PORT: String(telephonyPort) }, preloads);
  const many = (count: number, start: () => Victim): Victim[] => Array.from({ length: count }, start);
  const stage: Pick<DialingStage, 'http' | 'workers' | 'dispatchers'> = {
    http,
    workers: many(workers, () => startVictim('worker', env, preloads)),
    dispatchers: many(dispatchers, () =>
      startVictim(
        'dispatcher',
        {
          ...env,
          ...internalKeys(secret, 'campaigns'),
          DATABASE_URL: campaigns.url,
          TELEPHONY_URL: `http://127.0.0.1:${telephonyPort}`,
        },
        preloads,
      ),
    ),
  };
  const all = [http, ...stage.workers, ...stage.dispatchers];
  lifecycle.onStop('processes', async () => {
    await Promise.all(all.map((victim) => victim.end()));
  });
  await untilUp(all);

  const workspaceId = randomUUID();
  peers.setSettings(workspaceId, { max_live_calls: 1_000_000 });
  const actor = { kind: 'key' as const, id: randomUUID() };
  const post: DialingStage['post'] = async (service, path, body) => {
    const port = service === 'telephony' ? telephonyPort : portOf(stage.dispatchers);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: {
        [INTERNAL_TOKEN_HEADER]: internalToken(secret, service, { workspaceId, actor }),
        'content-type': 'application/json',
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, text, data: JSON.parse(text).data };
  };

  const connectNumber: DialingStage['connectNumber'] = async (maxCps, trunk = SIMULATED) => {
    const agent = peers.addAgent(workspaceId);
    const settings = agent.config.settings as object;
    agent.config.settings = { ...settings, recording: { enabled: false } };
    const agentId = agent.agent_id;
    const phoneNumber = `+1555${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`;
    const body = { phone_number: phoneNumber, ...trunk, max_cps: maxCps };
    for (let left = CONNECT_TRIES; ; left -= 1) {
      const { status, text } = await post('telephony', '/v1/phone-number/sip', body);
      if (status === 201) break;
      if (left === 0 || status !== 503) throw new Error(`number was not connected: ${text}`);
    }
    return { phoneNumber, agentId };
  };
  return { ...stage, campaignsSql, telephonySql, prefix, workspaceId, connectNumber, post };
}

/** Waits until all of them listen. */
export async function untilUp(victims: readonly Victim[]): Promise<void> {
  const givesUpAt = performance.now() + START_MS;
  for (let down = victims; down.length > 0; down = down.filter((victim) => !victim.port())) {
    if (performance.now() > givesUpAt) {
      throw new Error(
        down.map(({ role, lastOutput }) => `${role} has not started: ${lastOutput().join('\n')}`).join('\n'),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function portOf(victims: readonly Victim[]): number {
  return victims.flatMap((victim) => victim.port() ?? [])[0] ?? 9;
}
