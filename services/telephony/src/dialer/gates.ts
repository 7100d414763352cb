import type { WorkspaceLimits } from '../clients/ports.ts';
import { isAllowedNumber } from '../limits/destinations.ts';
import type { DialRequest, NumberPace, RefusalReason } from './dial-request.ts';

/** What the gates depend on, read in the transaction that writes the calls; assistants and limits shortly before. */
export type GateFacts = {
  now: Date;
  /** The lowest generation that is dialed, by campaign [campaigns.7]. */
  generations: ReadonlyMap<string, number>;
  /** Requests to numbers on their workspace's do-not-call list [calls.3]. */
  onDoNotCallList: ReadonlySet<string>;
  deletedAgents: ReadonlySet<string>;
  /** By id; null: it does not exist. Missing: it could not be loaded, and its requests wait. */
  assistants: ReadonlyMap<string, unknown>;
  limits: ReadonlyMap<string, Pick<WorkspaceLimits, 'isSuspended' | 'allowedDestinations'>>;
};

type Gate = 'open' | 'wait' | { refuse: RefusalReason };

/** How long a single call waits for an assistant that cannot be loaded (stack ms). Attempts of campaigns wait without a limit. */
const MAX_ASSISTANT_WAIT_MS = 5 * 60_000;

/** Whether a request may be dialed; `number` null: it was deleted. Free capacity and circuit are decided with the slots. */
export function checkGates(request: DialRequest, number: NumberPace | null, facts: GateFacts): Gate {
  const { callId, campaign, agentId, workspaceId, toNumber } = request;
  const limits = facts.limits.get(workspaceId);
  const assistant = facts.assistants.get(agentId);
  const lowest = campaign && facts.generations.get(campaign.campaignId);
  if (campaign && lowest && campaign.generation < lowest) return { refuse: 'withdrawn' };
  if (isClosedAt(request, facts.now)) return { refuse: 'withdrawn' };
  if (limits?.isSuspended) return 'wait';
  if (facts.onDoNotCallList.has(callId)) return { refuse: 'do_not_call' };
  if (!isAllowedNumber(toNumber, limits?.allowedDestinations ?? []))
    return { refuse: 'destination_not_allowed' };
  if (!number || (!number.isActive && !campaign)) return { refuse: 'number_unavailable' };
  if (facts.deletedAgents.has(agentId) || assistant === null) return { refuse: 'agent_unavailable' };
  // A campaign waits until its number is active again.
  if (!number.isActive) return 'wait';
  if (assistant) return 'open';
  const waitedMs = facts.now.getTime() - request.requestedAt.getTime();
  return !campaign && waitedMs >= MAX_ASSISTANT_WAIT_MS ? { refuse: 'assistant_unreachable' } : 'wait';
}

/** A campaign dials within its business hours only. */
export const isClosedAt = ({ campaign }: DialRequest, at: Date): boolean =>
  campaign?.notAfter ? at >= campaign.notAfter : false;
