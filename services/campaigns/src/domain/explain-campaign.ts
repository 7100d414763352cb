import type { Explanation } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import { isOpen, nextChange } from './hours.ts';
import type { Asker, Assistants, CampaignStore, Telephony } from './ports.ts';
import { campaignNotFound } from './read-campaigns.ts';
import { type Facts, reasonsOf } from './reasons.ts';

export type ExplainDeps = {
  campaigns: Pick<CampaignStore, 'find' | 'waiting'>;
  telephony: Pick<Telephony, 'dialConditions'>;
  assistants: Assistants;
  amqp: { canPublish(): boolean };
  clock: Clock;
};

/** D7.7: why nothing is dialling now. A question to telephony and one to assistants, and an answer without them too. */
export async function explainCampaign(
  deps: ExplainDeps,
  { id, asker }: { id: string; asker: Asker },
): Promise<Explanation> {
  const { campaigns, clock } = deps;
  const found = await campaigns.find(asker.workspaceId, id);
  if (!found) throw campaignNotFound();
  const { campaign } = found;
  const at = clock.now();
  const hours = campaign.businessHours;
  const open = isOpen(hours, at);
  const edge = nextChange(hours, at);
  const [contacts, conditions, assistant] = await Promise.all([
    campaigns.waiting(campaign.id, at),
    askTelephony(deps, campaign, asker),
    unlessAway(deps.assistants.exists(campaign.agentId, asker)),
  ]);
  const nextOpeningAt = open ? null : edge;
  return {
    campaign_id: campaign.id,
    at: toIsoMillis(at),
    state: campaign.status,
    reasons: reasonsOf({
      ...{ campaign, at, isOpen: open, nextOpeningAt, contacts, conditions },
      isAssistantAway: assistant === 'unreachable',
      isBrokerAway: !deps.amqp.canPublish(),
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

async function askTelephony(
  { telephony }: ExplainDeps,
  { phoneNumberId, phoneNumber }: Facts['campaign'],
  asker: Asker,
): Promise<Facts['conditions']> {
  if (phoneNumber === null) return 'deleted';
  return (await unlessAway(telephony.dialConditions(phoneNumberId, asker))) ?? 'deleted';
}

async function unlessAway<T>(answer: Promise<T>): Promise<T | 'unreachable'> {
  try {
    return await answer;
  } catch (err) {
    if (err instanceof AppError && err.code === 'SERVICE_UNAVAILABLE') return 'unreachable';
    throw err;
  }
}

function ofNumber(
  conditions: Facts['conditions'],
): Pick<Explanation, 'pace' | 'concurrency' | 'carrier' | 'circuit'> {
  if (typeof conditions === 'string') return { pace: null, concurrency: null, carrier: null, circuit: null };
  const { maxCps, nextDialAt, waiting, live, mostLive, isActive, callWorkers, circuit } = conditions;
  return {
    pace: { max_cps: maxCps, next_slot_at: toIsoMillis(nextDialAt), waiting },
    concurrency: { live, most: mostLive },
    carrier: {
      is_number_active: isActive,
      call_workers: callWorkers,
      last_failed_at: circuit.last_failed_at,
    },
    circuit,
  };
}

function ofContacts(contacts: Facts['contacts']): Explanation['contacts'] {
  const { retryDue, retryLater, nextRetryAt, inProgress, ...same } = contacts;
  return {
    ...same,
    retry_due: retryDue,
    retry_later: retryLater,
    next_retry_at: iso(nextRetryAt),
    in_progress: inProgress,
  };
}

const iso = (at: Date | null): string | null => at && toIsoMillis(at);
