import { randomUUID } from 'node:crypto';
import type { AssistantSnapshot, SnapshotTool } from '@parley/contracts';
import { eventually } from '@parley/testkit';
import { customTool } from '@parley/testkit/fakes';
import { anyNumber, type Harness, type HttpAnswer, type Json } from './harness.ts';

export { customTool };

export type ConnectedNumber = {
  id: string;
  workspaceId: string;
  phoneNumber: string;
  agent: AssistantSnapshot;
};

/** Covers the parts of an assistant's configuration that tests change. */
export type Settings = Record<string, unknown>;

/** For workers with a fast clock: an ordinary call takes half a second. */
export const FAST = { PROCESSES: 'both', CLOCK_RATE: '40' };

/** Creates a resource and retries after a 503, as a client does: on a busy machine the fakes may respond late. */
export function requestWithRetries(
  harness: Harness,
  workspaceId: string,
  path: string,
  body: object,
): Promise<HttpAnswer> {
  const headers = { 'idempotency-key': randomUUID() };
  return eventually(async () => {
    const answer = await harness.ask(workspaceId, 'POST', path, { body, headers });
    if (answer.status === 503) throw new Error(`not yet: ${answer.text}`);
    return answer;
  });
}

/** A number with an assistant for outbound calls and a pace that does not slow down a test. */
export async function connectNumber(
  harness: Harness,
  {
    workspaceId = randomUUID(),
    agent = {},
    settings = {},
    number = {},
    maxCps = 1000,
  }: {
    workspaceId?: string;
    agent?: Partial<AssistantSnapshot>;
    settings?: Settings;
    /** The trunk instead of the simulated one. */
    number?: Record<string, unknown>;
    maxCps?: number;
  } = {},
): Promise<ConnectedNumber> {
  const snapshot = harness.peers.addAgent(workspaceId, agent);
  snapshot.config = {
    ...snapshot.config,
    settings: { ...(snapshot.config.settings as Settings), ...settings },
  };
  const phoneNumber = anyNumber();
  const body = {
    phone_number: phoneNumber,
    termination_uri: 'sip.example.com',
    outbound_agent_id: snapshot.agent_id,
    max_cps: maxCps,
    ...number,
  };
  const answer = await requestWithRetries(harness, workspaceId, '/v1/phone-number/sip', body);
  if (answer.status !== 201) throw new Error(`number was not connected: ${answer.text}`);
  return { id: answer.body.data.id, workspaceId, phoneNumber, agent: snapshot };
}

/** A dial that a campaign requests. */
export const dialRequest = (number: ConnectedNumber, fields: Record<string, unknown> = {}) => ({
  call_id: randomUUID(),
  campaign_id: randomUUID(),
  contact_id: randomUUID(),
  generation: 1,
  agent_id: number.agent.agent_id,
  phone_number_id: number.id,
  to_number: anyNumber('0002'),
  dynamic_variables: {},
  ...fields,
});

export async function requestDial(
  harness: Harness,
  number: ConnectedNumber,
  fields?: Record<string, unknown>,
): Promise<ReturnType<typeof dialRequest>> {
  const data = dialRequest(number, fields);
  await harness.bus.publish('dial.requested', number.workspaceId, data);
  return data;
}

export async function callFrom(
  harness: Harness,
  { workspaceId, phoneNumber }: ConnectedNumber,
  to: string,
  extra: Record<string, unknown> = {},
): Promise<string> {
  const body = { from_number: phoneNumber, to_number: to, ...extra };
  const answer = await requestWithRetries(harness, workspaceId, '/v2/call', body);
  if (answer.status !== 201) throw new Error(`call was not placed: ${answer.text}`);
  return answer.body.data.id;
}

/** Slots of 28 hours. */
const HELD_CPS = 1e-5;

/** Blocks the number's dials until the returned function is called: its next slot begins in 24 hours, which a faster number would take for the mistake of a wrong clock. */
export async function holdDials(harness: Harness, { id }: ConnectedNumber): Promise<() => Promise<void>> {
  const set = async (maxCps: number, inMs: number): Promise<void> => {
    const at = new Date(harness.context.clock.now().getTime() + inMs);
    await harness.sql.$executeRaw`UPDATE phone_numbers SET max_cps = ${maxCps} WHERE id = ${id}::uuid`;
    await harness.sql
      .$executeRaw`UPDATE number_clocks SET next_dial_at = ${at} WHERE phone_number_id = ${id}::uuid`;
  };
  const [number] = await harness.sql.$queryRaw<
    { maxCps: number }[]
  >`SELECT max_cps AS "maxCps" FROM phone_numbers WHERE id = ${id}::uuid`;
  await set(HELD_CPS, 24 * 3_600_000);
  return () => set(number?.maxCps ?? 1, 0);
}

export async function readCall(harness: Harness, workspaceId: string, callId: string): Promise<Json> {
  return (await harness.ask(workspaceId, 'GET', `/v2/call/${callId}`)).body.data;
}

/** Waits until the call is over and analyzed and all of its messages are published; returns the call. */
export async function finished(harness: Harness, workspaceId: string, callId: string): Promise<Json> {
  await eventually(
    () => {
      if (analyzed(harness, callId).length === 0) throw new Error(`call ${callId} is not analyzed`);
    },
    { timeoutMs: 60_000 },
  );
  return readCall(harness, workspaceId, callId);
}

export function analyzed(harness: Harness, callId: string) {
  return harness.bus.received('call.analyzed').filter(({ data }) => data.call_id === callId);
}

/**
 * Types of the messages about a call, in the order of their arrival by type. A message that came twice counts once:
 * a process that is killed between publishing and noting it leaves it to be published again.
 */
export function publishedEventsOf(harness: Harness, callId: string): string[] {
  const types = ['call.dialing', 'call.started', 'call.ended', 'call.analyzed', 'dial.refused'] as const;
  return types.flatMap((type) => {
    const ids = harness.bus.received(type).flatMap(({ id, data }) => (data.call_id === callId ? [id] : []));
    return [...new Set(ids)].map(() => type);
  });
}

export function nativeTool(
  tool_name: string,
  native: Partial<NonNullable<SnapshotTool['native']>> = {},
): SnapshotTool {
  return customTool({
    tool_name,
    is_native: true,
    endpoint_url: `native://${tool_name}`,
    native: {
      sms_content_type: null,
      sms_static_message: null,
      telco_account_sid: null,
      telco_auth_token: null,
      telco_from_number: null,
      transfer_call_mode: null,
      transfer_call_destination: null,
      transfer_call_type: null,
      ...native,
    },
  });
}
