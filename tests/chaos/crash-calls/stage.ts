import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import {
  amqpPrefix,
  amqpUrl,
  eventually,
  internalKeys,
  internalToken,
  internalTokensOfPeers,
  type SqlClient,
  type TestBus,
  testBus,
  testDatabase,
} from '@parley/testkit';
import { type FakePeersOfTelephony, fakePeersOfTelephony } from '@parley/testkit/fakes';
import { retryingSql } from '@parley/testkit/load';
import { startVictim, type Victim } from '@parley/testkit/stage';

/** Telephony as three processes that can be killed, and the fakes around it, which stay up. */
export type Stage = {
  sql: SqlClient;
  bus: TestBus;
  peers: FakePeersOfTelephony;
  http: Victim;
  workers: [Victim, Victim];
  /** Calls the running HTTP process; rejects if there is none, or if it dies before it responds. */
  post(workspaceId: string, path: string, body: object, headers?: Record<string, string>): Promise<Answer>;
  ready(victims: readonly Victim[]): Promise<void>;
};

export type Answer = { status: number; body: { data: Record<string, string> }; text: string };

export async function setStage(rate: number, lifecycle: Lifecycle): Promise<Stage> {
  const database = await testDatabase('telephony', { durable: true });
  lifecycle.onStop('database', database.drop);
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
  const bus = await testBus(prefix);
  lifecycle.onStop('bus', bus.close);
  const sql = retryingSql(database.url);
  lifecycle.onStop('pool', sql.close);
  const recordings = await mkdtemp(join(tmpdir(), 'parley-bench-recordings-'));
  lifecycle.onStop('recordings', () => rm(recordings, { recursive: true, force: true }));

  const env = {
    // Three processes and their replacements share the connections of one server.
    DATABASE_POOL: '4',
    ...process.env,
    PORT: '0',
    NODE_ENV: 'test',
    CLOCK_RATE: String(rate),
    CLOCK_ORIGIN_MS: String(Date.now()),
    DATABASE_URL: database.url,
    AMQP_URL: amqpUrl(),
    AMQP_PREFIX: prefix,
    ...internalKeys(secret, 'telephony'),
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    PUBLIC_URL: 'https://parley.example',
    RECORDING_URL_SECRET: secret,
    RECORDINGS_DIR: recordings,
    RECORDING_SPEECH: 'tones',
    ASSISTANTS_URL: peers.assistants.url.replace(/\/$/, ''),
    GATEWAY_INTERNAL_URL: peers.gateway.url.replace(/\/$/, ''),
    CAMPAIGNS_URL: peers.campaigns.url.replace(/\/$/, ''),
  };
  const http = startVictim('http', env);
  const workers: Stage['workers'] = [startVictim('worker', env), startVictim('worker', env)];
  lifecycle.onStop('processes', async () => {
    await Promise.all([http, ...workers].map((victim) => victim.end()));
  });

  const post: Stage['post'] = async (workspaceId, path, body, headers = {}) => {
    const response = await fetch(`http://127.0.0.1:${http.port() ?? 9}${path}`, {
      method: 'POST',
      headers: {
        [INTERNAL_TOKEN_HEADER]: internalToken(secret, 'telephony', {
          workspaceId,
          actor: { kind: 'key', id: ACTOR },
        }),
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) };
  };
  const ready: Stage['ready'] = async (victims) => {
    await eventually(
      () => {
        if (victims.some((victim) => !victim.port())) throw new Error('a process has not started');
      },
      { timeoutMs: 60_000 },
    );
  };
  return { sql, bus, peers, http, workers, post, ready };
}

/** Every request has the same principal, so that an idempotency key identifies a repeated request. */
const ACTOR = randomUUID();
