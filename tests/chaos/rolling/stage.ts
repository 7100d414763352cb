import type { Lifecycle } from '@parley/kit/lifecycle';
import { receiver } from '@parley/testkit';
import { createPlatformStack } from '@parley/testkit/stage';
import { Client } from 'pg';
import { type Campaign, createResources } from './create-resources.ts';
import { startDeployments } from './deployments.ts';
import type { Target } from './next-request.ts';
import type { Replicas } from './replicas.ts';

/** As in the cluster, except for the drain time: there, endpoint changes propagate more slowly. */
const COMMON_ENV = {
  STOP_DRAIN_MS: process.env.STOP_DRAIN_MS ?? '5000',
  DATABASE_POOL: '3',
  LOG_LEVEL: 'info',
};
const CLOCK_RATE = 4;

/** A row of telephony's `calls`. */
export type CallRow = {
  id: string;
  campaign: string | null;
  status: string;
  reason: string | null;
  analyzed: boolean;
  /** How many workers have had the call. */
  workers: number;
  /** How often it was dialed at the carrier. */
  legs: number;
};

export type Stage = {
  deployments: Replicas[];
  target: Target;
  campaign: Campaign;
  /** The events that the client's receiver got, by call, in order of arrival. */
  events(): Map<string, string[]>;
  calls(): Promise<CallRow[]>;
};

const CALLS = `
  SELECT c.id::text, c.campaign_id::text AS campaign, c.status, c.disconnection_reason AS reason,
    c.analysed_at IS NOT NULL AS analyzed, c.fence AS workers,
    (SELECT count(*)::int FROM simulated_legs l WHERE l.reference = c.id) AS legs
  FROM calls c`;

/** Starts the platform with `count` replicas per deployment, a running campaign and a client's receiver. */
export async function setStage(count: number, lifecycle: Lifecycle): Promise<Stage> {
  const stack = await createPlatformStack({
    clockRate: CLOCK_RATE,
    durable: true,
    env: { NODE_ENV: 'development' },
  });
  lifecycle.onStop('databases, queues and files', stack.remove);
  const { url, folder, environments } = stack;
  const deployments = await startDeployments({ count, environments, common: COMMON_ENV, folder, lifecycle });
  const limits = { 'requests-per-minute': 100_000, 'max-live-calls': 2_000 };
  const { private_key } = await stack.createWorkspace('Rolling', limits);

  const server = await receiver();
  lifecycle.onStop('receiver', () => server.close());
  const resources = await createResources(url, private_key, `${server.url}/hook`);
  return {
    ...resources,
    deployments,
    events: () => {
      const events = new Map<string, string[]>();
      for (const { body } of server.requests('/hook')) {
        const { call_id, event } = JSON.parse(body);
        events.set(call_id, [...(events.get(call_id) ?? []), event]);
      }
      return events;
    },
    calls: () => query(environments.telephony.DATABASE_URL ?? '', CALLS),
  };
}

async function query<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}
