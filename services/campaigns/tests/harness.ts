import { randomUUID } from 'node:crypto';
import type { DisconnectionReason, Message, MessageData } from '@parley/contracts';
import { parseConfig } from '@parley/kit/config';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import {
  amqpPrefix,
  amqpUrl,
  busOf,
  eventually,
  internalKeys,
  internalToken,
  QUEUES_PROVIDED,
  sqlClient,
  testDatabase,
} from '@parley/testkit';
import { fakePeersOfCampaigns } from '@parley/testkit/fakes';
import { startConsumers } from '../src/attempts/consumers.ts';
import { configSchema } from '../src/config.ts';
import { type Context, createContext } from '../src/context.ts';
import { startJobs } from '../src/jobs.ts';
import { startServer } from '../src/server.ts';

export const SECRET = 'a secret of the tests that is long enough';
export const WORKSPACE = '0189aaaa-0000-7000-8000-000000000001';
export const OTHER_WORKSPACE = '0189aaaa-0000-7000-8000-000000000002';

export type Replica = { context: Context; url: string; stop(): Promise<void> };
export type Options = {
  clockRate?: number;
  clockOriginMs?: number;
  jobs?: boolean;
  consumers?: boolean;
  env?: Record<string, string>;
};
export type Answer = {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
  data: Record<string, unknown>;
};
export type Harness = Awaited<ReturnType<typeof createHarness>>;
type Dial = Message<'dial.requested'>['data'];

/** The real service on its own database and broker prefix; all other services are fakes. */
export async function createHarness(options: Options = {}) {
  const log = createLogger({ service: 'campaigns test', level: 'fatal' });
  const outside = createLifecycle(log, { deadlineMs: 5_000 });
  const database = await testDatabase('campaigns');
  const prefix = amqpPrefix();
  const bus = await busOf('campaigns', prefix.prefix);
  const sql = await sqlClient(database.url);
  const peers = await fakePeersOfCampaigns(SECRET, outside, log);
  const replicas: Replica[] = [];

  const boot = async (more: Options = {}): Promise<Replica> => {
    const {
      clockRate = 1,
      clockOriginMs = Date.now(),
      jobs = true,
      consumers = true,
      env = {},
    } = { ...options, ...more };
    const lifecycle = createLifecycle(log, { deadlineMs: 10_000 });
    const config = parseConfig(configSchema, {
      PORT: '0',
      DATABASE_URL: database.url,
      DATABASE_POOL: '5',
      AMQP_URL: amqpUrl(),
      AMQP_PREFIX: prefix.prefix,
      ...QUEUES_PROVIDED,
      NODE_ENV: 'test',
      CLOCK_RATE: String(clockRate),
      CLOCK_ORIGIN_MS: String(clockOriginMs),
      ...internalKeys(SECRET, 'campaigns'),
      ASSISTANTS_URL: peers.url,
      TELEPHONY_URL: peers.url,
      ...env,
    });
    const context = await createContext(config, { lifecycle, log });
    if (jobs) startJobs(context);
    if (consumers) startConsumers(context);
    const { port } = await startServer(context);
    const replica = { context, url: `http://127.0.0.1:${port}`, stop: () => lifecycle.stop('test') };
    replicas.push(replica);
    return replica;
  };
  const first = await boot();

  const send = async (
    method: string,
    path: string,
    {
      body,
      workspaceId = WORKSPACE,
      headers = {},
      replica = first,
    }: {
      body?: string | object | undefined;
      workspaceId?: string;
      headers?: Record<string, string>;
      replica?: Replica;
    } = {},
  ): Promise<Answer> => {
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    const token = internalToken(SECRET, 'campaigns', { workspaceId });
    const response = await fetch(`${replica.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', [INTERNAL_TOKEN_HEADER]: token, ...headers },
      ...(text === undefined ? {} : { body: text }),
    });
    const parsed = JSON.parse(await response.text()) as Record<string, unknown>;
    return {
      status: response.status,
      headers: response.headers,
      body: parsed,
      data: parsed.data as Record<string, unknown>,
    };
  };

  /** A number and an assistant that the workspace has. */
  const furnish = (maxCps = 1000) => {
    const agentId = randomUUID();
    const phoneNumber = `+1415${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`;
    const phoneNumberId = randomUUID();
    peers.agents.add(agentId);
    peers.numbers.set(phoneNumber, phoneNumberId);
    peers.rates.set(phoneNumberId, { max_cps: maxCps, is_active: true });
    return { agentId, phoneNumber, phoneNumberId };
  };

  const contactsOf = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ phone_number: `+1202555${String(i).padStart(4, '0')}` }));

  const create = async (more: Record<string, unknown> = {}, maxCps?: number): Promise<string> => {
    const { agentId, phoneNumber } = furnish(maxCps);
    const body = {
      campaign_name: 'A campaign',
      agent_id: agentId,
      phone_number: phoneNumber,
      contacts: contactsOf(1),
      ...more,
    };
    const answer = await send('POST', '/v1/campaigns', { body });
    if (answer.status !== 201) throw new Error(`not created: ${JSON.stringify(answer.body)}`);
    return String(answer.data.campaign_id);
  };

  const read = async (id: string): Promise<Record<string, unknown>> =>
    (await send('GET', `/v1/campaigns/${id}`)).data;
  const contacts = async (id: string, query = ''): Promise<Record<string, unknown>[]> =>
    (await send('GET', `/v1/campaigns/${id}/contacts${query}`)).data as unknown as Record<string, unknown>[];
  const verb = (id: string, name: string): Promise<Answer> => send('POST', `/v1/campaigns/${id}/${name}`);

  const dialsOf = (id: string): Dial[] =>
    bus.received('dial.requested').flatMap(({ data }) => (data.campaign_id === id ? [data] : []));
  /** Waits for this many dial requests of the campaign and returns them. */
  const dials = (id: string, count: number): Promise<Dial[]> =>
    soon(() => {
      const found = dialsOf(id);
      if (found.length < count) throw new Error(`${found.length} of ${count} dials were requested`);
      return found;
    });

  const campaignOf = ({ campaign_id, contact_id }: Dial) => ({ campaign_id, contact_id });
  const say = {
    dialing: (dial: Dial) =>
      bus.publish('call.dialing', WORKSPACE, { call_id: dial.call_id, campaign: campaignOf(dial) }),
    started: (dial: Dial) => bus.publish('call.started', WORKSPACE, started(dial)),
    ended: (dial: Dial, reason: DisconnectionReason, more: Partial<MessageData<'call.ended'>> = {}) =>
      bus.publish('call.ended', WORKSPACE, ended(dial, reason, more)),
    refused: (dial: Dial, reason: MessageData<'dial.refused'>['reason']) =>
      bus.publish('dial.refused', WORKSPACE, { call_id: dial.call_id, ...campaignOf(dial), reason }),
  };

  const close = async (): Promise<void> => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await outside.stop('test');
    await bus.close();
    await sql.close();
    await prefix.remove();
    await database.drop();
  };

  return {
    ...{ bus, peers, sql, boot, first, send, furnish, create, contactsOf, read, contacts, verb },
    ...{ dials, dialsOf, say, endedOf: ended, close, databaseUrl: database.url },
  };
}

/** `eventually` with a timeout for a busy machine. */
export function soon<T>(expectation: () => T | Promise<T>): Promise<T> {
  return eventually(expectation, { timeoutMs: 15_000 });
}

export function ended(
  dial: Dial,
  disconnection_reason: DisconnectionReason,
  more: Partial<MessageData<'call.ended'>> = {},
): MessageData<'call.ended'> {
  const at = new Date().toISOString();
  return {
    ...facts(dial),
    started_at: at,
    answered_at: disconnection_reason.startsWith('dial_') ? null : at,
    ended_at: at,
    duration: 0,
    cost: 0,
    disconnection_reason,
    retryable: ['dial_no_answer', 'dial_busy', 'voicemail'].includes(disconnection_reason),
    voicemail_message_left: false,
    ...more,
  };
}

function started(dial: Dial): MessageData<'call.started'> {
  const at = new Date().toISOString();
  return { ...facts(dial), started_at: at, answered_at: at };
}

function facts(dial: Dial) {
  return {
    call_id: dial.call_id,
    call_type: 'outbound' as const,
    from_number: '+14155550100',
    to_number: dial.to_number,
    dynamic_variables: dial.dynamic_variables,
    agent: { agent_id: dial.agent_id, version: 1, webhook_url: null },
    campaign: { campaign_id: dial.campaign_id, contact_id: dial.contact_id },
  };
}
