import { setTimeout as sleep } from 'node:timers/promises';
import {
  findPhoneNumber,
  getAssistantBriefs,
  getDialConditions,
  getDialRates,
  getDialStates,
  type MessageData,
  type NumberCircuit,
  type ResponseOf,
  withdrawDials,
} from '@parley/contracts';
import { AppError, notFound } from '@parley/kit/errors';
import { createApp, listen, mount } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { createMetrics } from '@parley/kit/observability';
import { internalTokensOfPeers } from '../internal-keys.ts';

type DialState =
  | { callId: string; state: 'waiting' }
  | { callId: string; state: 'refused'; reason: MessageData<'dial.refused'>['reason'] }
  | { callId: string; state: 'live'; answered: boolean }
  | { callId: string; state: 'ended'; ended: MessageData<'call.ended'> };

type Conditions = ResponseOf<typeof getDialConditions>;

const CLOSED: NumberCircuit = {
  state: 'closed',
  failures_in_a_row: 0,
  last_failed_at: null,
  opened_at: null,
  openings: 0,
  next_probe_at: null,
};

export type FakePeersOfCampaigns = {
  url: string;
  /** Assistants of the workspace. */
  agents: Set<string>;
  /** Numbers of the workspace: number → id. */
  numbers: Map<string, string>;
  rates: Map<string, { max_cps: number; is_active: boolean }>;
  states: Map<string, DialState>;
  /** Dial conditions of numbers, if a test sets them. */
  conditions: Map<string, Partial<Conditions>>;
  /** Received withdrawals. */
  withdrawals: { campaign_id: string; below_generation: number }[];
  /** Attempts whose state was requested. */
  asked: string[];
  mode: { down: boolean; assistantsDown: boolean; delayMs: number };
};

/** Fakes of assistants and telephony for campaigns: the endpoints of the contract, which can be slow or unavailable. */
export async function fakePeersOfCampaigns(
  secret: string,
  lifecycle: Lifecycle,
  log: Log,
): Promise<FakePeersOfCampaigns> {
  const peers: FakePeersOfCampaigns = {
    url: '',
    agents: new Set(),
    numbers: new Map(),
    rates: new Map(),
    states: new Map(),
    conditions: new Map(),
    withdrawals: [],
    asked: [],
    mode: { down: false, assistantsDown: false, delayMs: 0 },
  };
  const present = async (): Promise<void> => {
    await sleep(peers.mode.delayMs);
    if (peers.mode.down) throw new AppError('SERVICE_UNAVAILABLE', 'away');
  };
  const app = createApp({
    service: 'fake peers',
    log,
    metrics: createMetrics('fake'),
    internalTokens: internalTokensOfPeers(secret, ['assistants', 'telephony']),
    readiness: present,
  });
  mount(app, getAssistantBriefs, async ({ body }) => {
    await present();
    if (peers.mode.assistantsDown) throw new AppError('SERVICE_UNAVAILABLE', 'away');
    const known = body.agent_ids.filter((id) => peers.agents.has(id));
    return known.map((agent_id) => ({ agent_id, agent_name: 'Ann', version: 1, webhook_url: null }));
  });
  mount(app, findPhoneNumber, async ({ params: { phone_number } }) => {
    await present();
    const phone_number_id = peers.numbers.get(phone_number);
    if (!phone_number_id) throw notFound('Phone number');
    return { phone_number_id, phone_number, is_active: true, max_cps: 1 };
  });
  mount(app, getDialRates, async ({ body }) => {
    await present();
    return body.phone_number_ids.flatMap((phone_number_id) => {
      const rate = peers.rates.get(phone_number_id);
      return rate ? [{ phone_number_id, ...rate }] : [];
    });
  });
  mount(app, getDialConditions, async ({ params: { id } }) => {
    await present();
    const [phone_number] = [...peers.numbers].find(([, numberId]) => numberId === id) ?? [];
    if (!phone_number) throw notFound('Phone number');
    const { max_cps = 1, is_active = true } = peers.rates.get(id) ?? {};
    return {
      ...{ phone_number, max_cps, is_active, waiting: 0, live_calls: 0, max_live_calls: 20, call_workers: 1 },
      next_dial_at: new Date(0).toISOString(),
      circuit: CLOSED,
      ...peers.conditions.get(id),
    };
  });
  mount(app, withdrawDials, async ({ body }) => {
    await present();
    peers.withdrawals.push(body);
    return { withdrawn: 0 };
  });
  mount(app, getDialStates, async ({ body }) => {
    await present();
    peers.asked.push(...body.call_ids);
    return body.call_ids.map((call_id) => {
      const { callId: _, ...state } = peers.states.get(call_id) ?? {
        callId: call_id,
        state: 'unknown' as const,
      };
      return { call_id, ...state };
    });
  });
  const { port } = await listen(app, { host: '127.0.0.1', port: 0 }, lifecycle);
  peers.url = `http://127.0.0.1:${port}`;
  return peers;
}
