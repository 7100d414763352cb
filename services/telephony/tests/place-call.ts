import { randomUUID } from 'node:crypto';
import type { AssistantSnapshot } from '@parley/contracts';
import { eventually } from '@parley/testkit';
import type { Harness, Json } from './harness.ts';
import { anyNumber } from './harness.ts';

export type ConnectedNumber = {
  id: string;
  workspaceId: string;
  phoneNumber: string;
  agent: AssistantSnapshot;
};

/** A number of the workspace whose calls an assistant places; fast enough not to slow a test. */
export async function connectNumber(
  harness: Harness,
  workspaceId: string,
  { agent = {}, maxCps = 1000 }: { agent?: Partial<AssistantSnapshot>; maxCps?: number } = {},
): Promise<ConnectedNumber> {
  const snapshot = harness.peers.addAgent(workspaceId, agent);
  const phoneNumber = anyNumber();
  const body = {
    phone_number: phoneNumber,
    termination_uri: 'sip.example.com',
    outbound_agent_id: snapshot.agent_id,
    max_cps: maxCps,
  };
  const answer = await harness.ask(workspaceId, 'POST', '/v1/phone-number/sip', { body });
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
  const answer = await harness.ask(workspaceId, 'POST', '/v2/call', { body });
  if (answer.status !== 201) throw new Error(`call was not placed: ${answer.text}`);
  return answer.body.data.id;
}

export async function readCall(harness: Harness, workspaceId: string, callId: string): Promise<Json> {
  return (await harness.ask(workspaceId, 'GET', `/v2/call/${callId}`)).body.data;
}

/** The call once it is over and analysed. */
export function finished(harness: Harness, workspaceId: string, callId: string): Promise<Json> {
  return eventually(
    async () => {
      const [row] = await harness.sql.$queryRawUnsafe<{ analysed_at: Date | null }[]>(
        'SELECT analysed_at FROM calls WHERE id = $1::uuid',
        callId,
      );
      if (!row?.analysed_at) throw new Error(`call ${callId} is not analysed`);
      return readCall(harness, workspaceId, callId);
    },
    { timeoutMs: 25_000 },
  );
}

export const newId = (): string => randomUUID();
