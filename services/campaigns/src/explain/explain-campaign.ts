import type { Explanation } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import type { CallContext } from '@parley/kit/http';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import type { CampaignStore } from '../campaigns/campaigns.store.ts';
import { isOpen, nextChange } from '../campaigns/hours.ts';
import { campaignNotFound } from '../campaigns/read-campaigns.ts';
import type { Assistants } from '../clients/assistants.ts';
import type { Telephony } from '../clients/telephony.ts';
import { type Facts, reasonsOf } from './reasons.ts';
import type { WaitingContacts } from './waiting-contacts.store.ts';

export type ExplainDeps = {
  campaigns: Pick<CampaignStore, 'find'>;
  waitingContacts: (campaignId: string, now: Date) => Promise<WaitingContacts>;
  telephony: Pick<Telephony, 'dialConditions'>;
  assistants: Assistants;
  amqp: { canPublish(): boolean };
  clock: Clock;
};

/** `GET /v1/campaigns/{id}/explain` [campaigns.18]: why nothing is dialed now. Also works while other services are unavailable. */
export async function explainCampaign(
  deps: ExplainDeps,
  { id, context }: { id: string; context: CallContext },
): Promise<Explanation> {
  const { campaigns, clock } = deps;
  const found = await campaigns.find(context.workspaceId, id);
  if (!found) throw campaignNotFound();
  const { campaign } = found;
  const at = clock.now();
  const hours = campaign.businessHours;
  const open = isOpen(hours, at);
  const edge = nextChange(hours, at);
  const [contacts, conditions, assistant] = await Promise.all([
    deps.waitingContacts(campaign.id, at),
    loadConditions(deps, campaign, context),
    unlessUnavailable(deps.assistants.exists(campaign.agentId, context)),
  ]);
  const nextOpeningAt = open ? null : edge;
  return {
    campaign_id: campaign.id,
    at: toIsoMillis(at),
    state: campaign.status,
    reasons: reasonsOf({
      ...{ campaign, at, isOpen: open, nextOpeningAt, contacts, conditions },
      isAssistantUnavailable: assistant === 'unreachable',
      isBrokerUnavailable: !deps.amqp.canPublish(),
    }),
    hours: {
      is_open: open,
      tz: hours?.tz ?? null,
      next_opening_at: iso(nextOpeningAt),
      next_closing_at: open ? iso(edge) : null,
    },
    ...ofNumber(conditions),
    contacts: ofContacts(contacts),
  };
}

async function loadConditions(
  { telephony }: ExplainDeps,
  { phoneNumberId, phoneNumber }: Facts['campaign'],
  context: CallContext,
): Promise<Facts['conditions']> {
  if (phoneNumber === null) return 'deleted';
  return (await unlessUnavailable(telephony.dialConditions(phoneNumberId, context))) ?? 'deleted';
}

async function unlessUnavailable<T>(response: Promise<T>): Promise<T | 'unreachable'> {
  try {
    return await response;
  } catch (err) {
    if (err instanceof AppError && err.code === 'SERVICE_UNAVAILABLE') return 'unreachable';
    throw err;
  }
}

function ofNumber(
  conditions: Facts['conditions'],
): Pick<Explanation, 'pace' | 'concurrency' | 'carrier' | 'circuit'> {
  if (typeof conditions === 'string') return { pace: null, concurrency: null, carrier: null, circuit: null };
  const { maxCps, nextDialAt, waiting, live, maxLive, isActive, callWorkers, circuit } = conditions;
  return {
    pace: { max_cps: maxCps, next_slot_at: toIsoMillis(nextDialAt), waiting },
    concurrency: { live, most: maxLive },
    carrier: {
      is_number_active: isActive,
      call_workers: callWorkers,
      last_failed_at: circuit.last_failed_at,
    },
    circuit,
  };
}

function ofContacts(contacts: Facts['contacts']): Explanation['contacts'] {
  const { retryDue, retryLater, nextRetryAt, inProgress, notAllowed: _, ...same } = contacts;
  return {
    ...same,
    retry_due: retryDue,
    retry_later: retryLater,
    next_retry_at: iso(nextRetryAt),
    in_progress: inProgress,
  };
}

const iso = (at: Date | null): string | null => at && toIsoMillis(at);
