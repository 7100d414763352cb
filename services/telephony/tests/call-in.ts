import { randomUUID } from 'node:crypto';
import type { AssistantSnapshot } from '@parley/contracts';
import { eventually } from '@parley/testkit';
import { anyNumber, type Harness, type HttpAnswer, type Json } from './harness.ts';
import { readCall, requestWithRetries } from './place-call.ts';

export type InboundNumber = {
  id: string;
  workspaceId: string;
  phoneNumber: string;
  agent: AssistantSnapshot;
};

/** A number that an assistant answers; `number` overrides its fields. */
export async function inboundNumber(
  harness: Harness,
  { agent = {}, number = {} }: { agent?: Partial<AssistantSnapshot>; number?: Record<string, unknown> } = {},
): Promise<InboundNumber> {
  const workspaceId = randomUUID();
  const snapshot = harness.peers.addAgent(workspaceId, agent);
  const body = {
    phone_number: anyNumber(),
    termination_uri: 'sip.example.com',
    inbound_agent_id: snapshot.agent_id,
    ...number,
  };
  const answer = await requestWithRetries(harness, workspaceId, '/v1/phone-number/sip', body);
  if (answer.status !== 201) throw new Error(`number was not connected: ${answer.text}`);
  return { id: answer.body.data.id, workspaceId, phoneNumber: body.phone_number, agent: snapshot };
}

export function ringUp(
  harness: Harness,
  { workspaceId, phoneNumber }: Pick<InboundNumber, 'workspaceId' | 'phoneNumber'>,
  extra: Record<string, unknown> = {},
): Promise<HttpAnswer> {
  const body = { from_number: anyNumber(), to_number: phoneNumber, ...extra };
  return harness.ask(workspaceId, 'POST', '/simulator/inbound', { body });
}

/** Places an inbound call and returns its id. */
export async function callIn(
  harness: Harness,
  number: InboundNumber,
  extra: Record<string, unknown> = {},
): Promise<string> {
  const { workspaceId, phoneNumber: to_number } = number;
  const body = { from_number: anyNumber(), to_number, ...extra };
  const answer = await requestWithRetries(harness, workspaceId, '/simulator/inbound', body);
  if (answer.status !== 202) throw new Error(`nobody called in: ${answer.text}`);
  return answer.body.data.call_id;
}

export const untilStatus = (harness: Harness, of: string, id: string, status: string): Promise<Json> =>
  eventually(async () => {
    const call = await readCall(harness, of, id);
    if (call?.status !== status) throw new Error(`call ${id} is ${call?.status}, not ${status}`);
    return call;
  });

export async function timelineOf(harness: Harness, of: string, id: string): Promise<Json[]> {
  return (await harness.ask(of, 'GET', `/v2/call/${id}/timeline`)).body.data;
}
