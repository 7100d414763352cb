import type { BodyOf, updatePhoneNumber as contract } from '@parley/contracts';
import { changesBetween, recordAudit } from '@parley/kit/audit';
import { notFound } from '@parley/kit/errors';
import type { ChangedBy } from '@parley/kit/http';
import type { OutboundAllowance } from '@parley/kit/outbound';
import { enqueue } from '@parley/kit/outbox';
import type { Clock } from '@parley/kit/time';
import type { FindAgentsDeps } from '../assistants/find-agents.ts';
import type { Transact } from '../clients/ports.ts';
import type { Tx } from '../prisma.ts';
import { checkAgents, checkWebhookUrl, rememberAgents } from './check-fields.ts';
import type { NumberStore } from './numbers.store.ts';
import {
  type PhoneNumber,
  type Provider,
  settingsOf,
  toPhoneNumberAnswer,
  toPhoneNumberUpdated,
} from './phone-number.ts';

type NumberChange = Partial<
  Pick<PhoneNumber, 'isActive' | 'maxCps' | 'inboundAgentId' | 'outboundAgentId' | 'inboundWebhookUrl'>
>;

export type ChangeDeps = { numbers: NumberStore; clock: Clock };

type UpdateDeps = ChangeDeps & FindAgentsDeps & { transact: Transact; allowed: OutboundAllowance };
type Body = BodyOf<typeof contract>;

/** Changes the fields that are present [numbers.8]. */
export async function updatePhoneNumber(
  deps: UpdateDeps,
  { by, id, body }: { by: ChangedBy; id: string; body: Body },
): Promise<ReturnType<typeof toPhoneNumberAnswer>> {
  const { workspaceId } = by;
  const number = await deps.numbers.find(workspaceId, id);
  if (!number) throw notFound('Phone number');
  // A number's provider never changes, so the check still holds in the transaction.
  const change = toChange(body, number.provider, deps.allowed);
  const agents = await checkAgents(deps, workspaceId, body);
  return deps.transact(async (tx) => {
    await rememberAgents(tx, deps.copies, workspaceId, agents, body);
    const changed = await changeNumber(tx, deps, await deps.numbers.lock(tx, id, workspaceId), change, by);
    return toPhoneNumberAnswer(await deps.numbers.read(tx, changed));
  });
}

function toChange(body: Body, provider: Provider, allowed: OutboundAllowance): NumberChange {
  const { inbound_agent_id: inbound, outbound_agent_id: outbound, max_cps: maxCps } = body;
  const url = body.inbound_webhook_url;
  return {
    ...(inbound === undefined ? {} : { inboundAgentId: inbound?.toLowerCase() ?? null }),
    ...(outbound === undefined ? {} : { outboundAgentId: outbound?.toLowerCase() ?? null }),
    ...(maxCps === undefined ? {} : { maxCps }),
    ...(url === undefined ? {} : { inboundWebhookUrl: checkWebhookUrl(url, provider, allowed) }),
  };
}

/** The operator activates or deactivates a number of any workspace [numbers.11]. */
export async function setNumberActivation(
  deps: ChangeDeps & { transact: Transact },
  { id, isActive, by }: { id: string; isActive: boolean; by: ChangedBy },
): Promise<{ phone_number_id: string; is_active: boolean }> {
  return deps.transact(async (tx) => {
    const current = await deps.numbers.lock(tx, id);
    const number =
      current?.isActive === isActive ? current : await changeNumber(tx, deps, current, { isActive }, by);
    return { phone_number_id: number.id, is_active: number.isActive };
  });
}

/** Removes a deleted assistant from the numbers that it is assigned to, in the transaction that records its deletion. */
export async function unassignAgent(
  tx: Tx,
  deps: ChangeDeps,
  {
    workspaceId,
    agentId,
    requestId,
  }: { workspaceId: string; agentId: string; requestId?: string | undefined },
): Promise<void> {
  const actor = { kind: 'service' as const, id: 'telephony' };
  const by = { workspaceId, actor, ...(requestId ? { requestId } : {}) };
  for (const number of await deps.numbers.lockByAgent(tx, workspaceId, agentId)) {
    const change = {
      ...(number.inboundAgentId === agentId ? { inboundAgentId: null } : {}),
      ...(number.outboundAgentId === agentId ? { outboundAgentId: null } : {}),
    };
    await changeNumber(tx, deps, number, change, by);
  }
}

/** Changes a number that the transaction has locked: raises its version, publishes and records the change. */
async function changeNumber(
  tx: Tx,
  { numbers, clock }: ChangeDeps,
  current: PhoneNumber | undefined,
  change: NumberChange,
  by: ChangedBy,
): Promise<PhoneNumber> {
  if (!current) throw notFound('Phone number');
  const changed = { ...current, ...change, version: current.version + 1, updatedAt: clock.now() };
  await numbers.save(tx, changed);
  await enqueue(tx, {
    type: 'phone-number.updated',
    workspaceId: changed.workspaceId,
    requestId: by.requestId,
    occurredAt: changed.updatedAt,
    data: toPhoneNumberUpdated(changed),
  });
  const changes = changesBetween(settingsOf(current), settingsOf(changed));
  if (Object.keys(changes).length > 0) await recordNumber(tx, by, changed, { action: 'updated', changes });
  return changed;
}

type AuditedChange = { action: string; changes?: Record<string, unknown>; at?: Date };

/** Adds the change to the audit log of the number's workspace, even if the operator made it [trust.17]. */
export async function recordNumber(
  tx: Tx,
  by: ChangedBy,
  { id, workspaceId, phoneNumber, updatedAt }: PhoneNumber,
  { action, changes = {}, at = updatedAt }: AuditedChange,
): Promise<void> {
  const target = { type: 'phone_number', id, name: phoneNumber };
  await recordAudit(tx, { ...by, workspaceId }, { action: `phone_number.${action}`, target, changes, at });
}
