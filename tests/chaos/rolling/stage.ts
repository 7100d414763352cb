import type { Lifecycle } from '@parley/kit/lifecycle';
import { receiver } from '@parley/testkit';
import { createPlatformStack } from '@parley/testkit/stage';
import { Client } from 'pg';
import { startDeployments } from './deployments.ts';
import { type Campaign, furnish } from './furnish.ts';
import type { Target } from './next-ask.ts';
import type { Replicas } from './replicas.ts';

/** As in the cluster, but for the time of the draining, which there has slower ways to be known. */
const OPERATED = {
  STOP_DRAIN_MS: process.env.STOP_DRAIN_MS ?? '5000',
  DATABASE_POOL: '3',
  LOG_LEVEL: 'info',
};
const CLOCK_RATE = 4;

/** A call as telephony has it. */
export type CallRow = {
  id: string;
  campaign: string | null;
  status: string;
  reason: string | null;
  analysed: boolean;
  /** How many workers have had it. */
  hands: number;
  /** How often the carrier was asked for it. */
  legs: number;
};

export type Stage = {
  deployments: Replicas[];
  target: Target;
  campaign: Campaign;
  /** The events that the client's receiver has had, by call, in the order of arrival. */
  events(): Map<string, string[]>;
  calls(): Promise<CallRow[]>;
};

const CALLS = `
  SELECT c.id::text, c.campaign_id::text AS campaign, c.status, c.disconnection_reason AS reason,
    c.analysed_at IS NOT NULL AS analysed, c.fence AS hands,
    (SELECT count(*)::int FROM simulated_legs l WHERE l.reference = c.id) AS legs
  FROM calls c`;

/** The platform, each of its parts so many times behind a balancer, with a campaign that dials and a client's receiver. */
export async function setStage(count: number, lifecycle: Lifecycle): Promise<Stage> {
  const stack = await createPlatformStack({
    clockRate: CLOCK_RATE,
    durable: true,
    env: { NODE_ENV: 'development' },
  });
  lifecycle.onStop('databases, queues and files', stack.remove);
  const { url, folder, environments } = stack;
  const deployments = await startDeployments({ count, environments, common: OPERATED, folder, lifecycle });
  const limits = { 'requests-per-minute': 100_000, 'max-live-calls': 2_000 };
  const { private_key } = await stack.createWorkspace('Rolling', limits);

  const server = await receiver();
  lifecycle.onStop('receiver', () => server.close());
  const furnished = await furnish(url, private_key, `${server.url}/hook`);
  return {
    ...furnished,
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
