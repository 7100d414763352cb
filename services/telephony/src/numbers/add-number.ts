import type { BodyOf, connectSipNumber as contract } from '@parley/contracts';
import { changesBetween, SECRET_CHANGE } from '@parley/kit/audit';
import { validationFailed } from '@parley/kit/errors';
import type { ChangedBy } from '@parley/kit/http';
import type { Idempotency } from '@parley/kit/idempotency';
import { newId } from '@parley/kit/ids';
import { checkSipHost, type OutboundAllowance } from '@parley/kit/outbound';
import { enqueue } from '@parley/kit/outbox';
import type { SecretBox } from '@parley/kit/secrets';
import type { Clock } from '@parley/kit/time';
import type { AgentCopies } from '../assistants/ports.ts';
import type { AssistantBriefs, CarrierNumbers, Transact } from '../clients/ports.ts';
import type { Tx } from '../prisma.ts';
import { terminationOf } from '../trunks/termination.ts';
import { recordNumber } from './change-number.ts';
import { type AgentFields, checkAgents, checkWebhookUrl, rememberAgents } from './check-fields.ts';
import type { NumberStore } from './numbers.store.ts';
import {
  type PhoneNumber,
  type Provider,
  settingsOf,
  toPhoneNumberAnswer,
  toPhoneNumberUpdated,
} from './phone-number.ts';
import { secretsPlace, trunkOf } from './trunk-of.ts';

export type NumberDeps = {
  transact: Transact;
  clock: Clock;
  numbers: NumberStore;
  copies: AgentCopies;
  briefs: AssistantBriefs;
  secrets: Pick<SecretBox, 'seal' | 'open'>;
  carrierNumbers: CarrierNumbers;
  /** Per workspace. */
  maxNumbers: number;
  /** Private addresses that the operator allows inbound webhooks and trunks to have. */
  allowed: OutboundAllowance;
};

export type NumberRequest = {
  workspaceId: string;
  requestId: string;
  by: ChangedBy;
  idempotency: Idempotency;
};

type NumberDraft = AgentFields & {
  phone_number: string;
  provider: Provider;
  nickname?: string | null | undefined;
  max_cps: number;
  inboundWebhookUrl: string | null;
  /** Access to the carrier; stored sealed and never returned. */
  secrets: Record<string, string | null>;
};

/** Connects a number by a SIP trunk [numbers.2]. The trunk isn't checked: it may be set up later. */
export function connectSipNumber(
  deps: NumberDeps,
  request: NumberRequest,
  body: BodyOf<typeof contract>,
): ReturnType<typeof addNumber> {
  const {
    termination_uri,
    transport,
    sip_trunk_auth_username: username,
    sip_trunk_auth_password: password,
  } = body;
  checkTermination(termination_uri, deps.allowed);
  if (Boolean(username) !== Boolean(password)) {
    const path = username ? 'sip_trunk_auth_password' : 'sip_trunk_auth_username';
    const message = `${path} is required: a trunk has both a user name and a password, or neither`;
    throw validationFailed([{ path, code: 'required', message }]);
  }
  return addNumber(deps, request, {
    ...body,
    provider: 'hosted_sip',
    inboundWebhookUrl: checkWebhookUrl(body.inbound_webhook_url, 'hosted_sip', deps.allowed),
    secrets: { termination_uri, transport, username: username ?? null, password: password ?? null },
  });
}

/** Host names are checked when they are resolved, at each call [numbers.12]. */
function checkTermination(uri: string, allowed: OutboundAllowance): void {
  const port = Number(/:(\d{1,5})$/.exec(uri)?.[1] ?? 1);
  const problem =
    port < 1 || port > 65_535 ? 'must have a port between 1 and 65535' : checkSipHost(uri, allowed);
  if (problem === undefined) return;
  const message = `termination_uri ${problem}`;
  throw validationFailed([{ path: 'termination_uri', code: 'invalid_format', message }]);
}

/** Adds a number; `CONFLICT` when it is connected already [numbers.4]. */
export async function addNumber(
  deps: NumberDeps,
  { workspaceId, requestId, by, idempotency }: NumberRequest,
  draft: NumberDraft,
): Promise<ReturnType<typeof toPhoneNumberAnswer>> {
  const agents = await checkAgents(deps, workspaceId, draft);
  const number = toNumber(draft, workspaceId, deps.clock.now());
  const sealed = deps.secrets.seal(JSON.stringify(draft.secrets), secretsPlace(number.id));
  return deps.transact(async (tx) => {
    await checkMaxNumbers(tx, deps, workspaceId);
    await rememberAgents(tx, deps.copies, workspaceId, agents, draft);
    const trunk = trunkOf(number.provider, workspaceId, draft.secrets);
    const termination = number.provider === 'hosted_sip' ? terminationOf(workspaceId, draft.secrets) : null;
    await deps.numbers.insert(tx, number, { sealed, trunk, termination });
    await enqueue(tx, {
      type: 'phone-number.updated',
      workspaceId,
      requestId,
      occurredAt: number.createdAt,
      data: toPhoneNumberUpdated(number),
    });
    const changes = { ...changesBetween({}, settingsOf(number)), credentials: SECRET_CHANGE };
    await recordNumber(tx, by, number, { action: 'connected', changes });
    return idempotency.answer(tx, toPhoneNumberAnswer(await deps.numbers.read(tx, number)));
  });
}

/** 422 at the maximum, which concurrent requests may exceed by a few. */
async function checkMaxNumbers(
  tx: Tx,
  { numbers, maxNumbers }: Pick<NumberDeps, 'numbers' | 'maxNumbers'>,
  workspaceId: string,
): Promise<void> {
  if ((await numbers.count(tx, workspaceId)) < maxNumbers) return;
  const message = `phone_number is one too many: a workspace has at most ${maxNumbers} (PHONE_NUMBERS_PER_WORKSPACE)`;
  throw validationFailed([{ path: 'phone_number', code: 'too_big', message }]);
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
