import { randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SnapshotTool } from '@parley/contracts';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { amqpPrefix, internalTokensOfPeers, type SqlClient, sqlClient, testDatabase } from '@parley/testkit';
import { fakePeersOfTelephony } from '@parley/testkit/fakes';
import { postgresMs } from '@parley/testkit/load';
import { type ServiceProcess, startService } from '@parley/testkit/stage';
import { type Bus, openBus } from './bus.ts';
import { type Line, seedLines } from './seed.ts';

const LINES = 20;
/** Node options of the workers, such as --cpu-prof. */
const NODE_OPTIONS = (process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter((option) => option !== '');

export type Stage = {
  bus: Bus;
  sql: SqlClient;
  /** The folder of the recordings. */
  recordings: string;
  workers(): readonly ServiceProcess[];
  /** Starts another worker. */
  startWorker(): Promise<void>;
  addAssistant(tools?: SnapshotTool[]): string;
  /** Requests a dial to another number with this ending; returns the call's id. */
  dial(agentId: string, ending: number): string;
  /** Resolves when `calls` have ended, or after `withinSeconds`. */
  untilEnded(calls: number, withinSeconds: number): Promise<void>;
  /** CPU time so far: of all workers, and of their Postgres connections. */
  processorMs(): Promise<{ workers: number; postgres: number }>;
  /** Memory of the largest worker, in bytes: now, and the maximum since `forget`. */
  memory: ServiceProcess['memory'];
};

export type StageOptions = {
  rate: number;
  workers: number;
  recordings: boolean;
  /** Additional variables of the workers. */
  env?: Record<string, string>;
};

/** Call workers on a separate database, with fakes of the other services, and a campaign that dials on demand. */
export async function setStage(
  { lifecycle, log }: { lifecycle: Lifecycle; log: Log },
  { rate, workers, recordings, env: more = {} }: StageOptions,
): Promise<Stage> {
  const secret = randomBytes(32).toString('hex');
  const database = await testDatabase('telephony', { durable: true });
  lifecycle.onStop('database', database.drop);
  const sql = sqlClient(database.url);
  lifecycle.onStop('pool', sql.close);
  const { prefix, remove } = amqpPrefix();
  lifecycle.onStop('prefix', remove);
  const peers = await fakePeersOfTelephony({
    internalTokens: internalTokensOfPeers(secret, ['gateway', 'assistants', 'campaigns']),
    log,
    lifecycle,
  });
  lifecycle.onStop('peers', peers.close);
  const bus = await openBus(prefix, lifecycle);

  const workspaceId = randomUUID();
  peers.setSettings(workspaceId, { max_live_calls: 1_000_000 });
  const lines = await seedLines(sql, workspaceId, LINES, (2 * rate) / LINES);
  const env = {
    LOG_LEVEL: 'warn',
    DATABASE_URL: database.url,
    AMQP_PREFIX: prefix,
    RECORDING_URL_SECRET: secret,
    RECORDINGS_DIR: join(tmpdir(), 'parley-bench-recordings'),
    RECORDING_SPEECH: 'tones',
    CARRIERS: 'simulator',
    PUBLIC_URL: 'http://127.0.0.1',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    ASSISTANTS_URL: peers.assistants.url.replace(/\/$/, ''),
    CAMPAIGNS_URL: peers.campaigns.url.replace(/\/$/, ''),
    GATEWAY_INTERNAL_URL: peers.gateway.url.replace(/\/$/, ''),
    ...more,
  };
  const startWorker = (): Promise<ServiceProcess> =>
    startService('telephony', { env, entry: 'worker', secret, flags: NODE_OPTIONS }, lifecycle);
  const started = await Promise.all(Array.from({ length: workers }, startWorker));

  let dialed = 0;
  return {
    bus,
    sql,
    recordings: env.RECORDINGS_DIR,
    workers: () => started,
    startWorker: async () => void started.push(await startWorker()),
    processorMs: async () => {
      const each = await Promise.all(started.map((worker) => worker.processorMs()));
      return { workers: each.reduce((sum, ms) => sum + ms, 0), postgres: await postgresMs(sql) };
    },
    memory: {
      now: async () => Math.max(...(await Promise.all(started.map(({ memory }) => memory.now())))),
      peak: () => Math.max(...started.map(({ memory }) => memory.peak())),
      resetPeak: () => {
        for (const { memory } of started) memory.resetPeak();
      },
    },
    addAssistant: (tools = []) => {
      const agent = peers.addAgent(workspaceId, { tools });
      const settings = agent.config.settings as Record<string, unknown>;
      agent.config = { ...agent.config, settings: { ...settings, recording: { enabled: recordings } } };
      return agent.agent_id;
    },
    dial: (agentId, ending) => {
      dialed += 1;
      const { phoneNumberId } = lines[dialed % lines.length] as Line;
      const callId = randomUUID();
      bus.dial(workspaceId, {
        call_id: callId,
        campaign_id: workspaceId,
        contact_id: randomUUID(),
        generation: 1,
        agent_id: agentId,
        phone_number_id: phoneNumberId,
        to_number: `+1${2_000_000_000 + dialed * 10_000 + ending}`,
        dynamic_variables: {},
      });
      return callId;
    },
    untilEnded: async (calls, withinSeconds) => {
      const endsMs = Date.now() + withinSeconds * 1000;
      while (bus.ended.size < calls && Date.now() < endsMs) await sleep(100);
    },
  };
}
