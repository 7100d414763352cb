import type { Idempotency } from '@parley/kit/idempotency';
import { newId } from '@parley/kit/ids';
import { enqueue } from '@parley/kit/outbox';
import { type AgentFields, checkAgents, rememberAgents } from './check-agents.ts';
import type { NumberDeps } from './deps.ts';
import {
  type PhoneNumber,
  type Provider,
  toPhoneNumberAnswer,
  toPhoneNumberUpdated,
} from './phone-number.ts';

/** Who asks for a change, and how the answer is remembered. */
export type NumberRequest = { workspaceId: string; requestId: string; idempotency: Idempotency };

export type NumberDraft = AgentFields & {
  phone_number: string;
  provider: Provider;
  nickname?: string | null | undefined;
  max_cps: number;
  inboundWebhookUrl: string | null;
  /** What the carrier is reached with; sealed, and never read by a client again. */
  secrets: Record<string, string | null>;
};

/** Where a number's secrets stand: sealed text that was moved elsewhere doesn't open. */
export const secretsPlace = (numberId: string): string => `phone_numbers:secrets:${numberId}`;

/** Adds a number that its carrier has agreed to. 409 when it is connected already, in any workspace (D5.2). */
export async function addNumber(
  deps: NumberDeps,
  { workspaceId, requestId, idempotency }: NumberRequest,
  draft: NumberDraft,
): Promise<ReturnType<typeof toPhoneNumberAnswer>> {
  const agents = await checkAgents(deps, workspaceId, draft);
  const number = toNumber(draft, workspaceId, deps.clock.now());
  const sealed = deps.secrets.seal(JSON.stringify(draft.secrets), secretsPlace(number.id));
  return deps.transact(async (tx) => {
    await rememberAgents(tx, deps.copies, workspaceId, agents, draft);
    await deps.numbers.insert(tx, number, sealed);
    await enqueue(tx, {
      type: 'phone-number.updated',
      workspaceId,
      requestId,
      occurredAt: number.createdAt,
      data: toPhoneNumberUpdated(number),
    });
    return idempotency.answer(tx, toPhoneNumberAnswer(await deps.numbers.read(tx, number)));
  });
}

function toNumber(draft: NumberDraft, workspaceId: string, now: Date): PhoneNumber {
  return {
    id: newId(),
    workspaceId,
    phoneNumber: draft.phone_number,
    nickname: draft.nickname ?? null,
    provider: draft.provider,
    isActive: true,
    maxCps: draft.max_cps,
    inboundAgentId: draft.inbound_agent_id?.toLowerCase() ?? null,
    outboundAgentId: draft.outbound_agent_id?.toLowerCase() ?? null,
    inboundWebhookUrl: draft.inboundWebhookUrl,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}
