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

/** Deep enough for what tests change in an assistant's configuration. */
export type Settings = Record<string, unknown>;

/** Time runs this much faster where calls are carried: an ordinary one takes half a second. */
export const FAST = { PROCESSES: 'both', CLOCK_RATE: '40' };

/** Creates something as a client does that tries again after a 503: on a busy machine the fake peers are late at times. */
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

/** A number of the workspace whose calls an assistant places; fast enough not to slow a test. */
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
    /** How it is connected, in place of the simulated trunk. */
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

/** Keeps a number from dialling, as its pace does, until the answered function lets it dial at once. */
export async function holdDials(harness: Harness, { id }: ConnectedNumber): Promise<() => Promise<void>> {
  const nextAt = async (inMs: number): Promise<void> => {
    const at = new Date(harness.context.clock.now().getTime() + inMs);
    await harness.sql
      .$executeRaw`UPDATE number_clocks SET next_dial_at = ${at} WHERE phone_number_id = ${id}::uuid`;
  };
  await nextAt(24 * 3_600_000);
  return () => nextAt(0);
}

export async function readCall(harness: Harness, workspaceId: string, callId: string): Promise<Json> {
  return (await harness.ask(workspaceId, 'GET', `/v2/call/${callId}`)).body.data;
}

/** The call once it is over, analysed, and everybody has heard of it. */
export async function finished(harness: Harness, workspaceId: string, callId: string): Promise<Json> {
  await eventually(
    () => {
      if (analyzed(harness, callId).length === 0) throw new Error(`call ${callId} is not analysed`);
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
