import type { MessageData } from '@parley/contracts';
import { PROBE_PATIENCE_MS } from './circuit.ts';

/** A request in the queue. The call's id is the id of the attempt. */
export type WaitingDial = {
  callId: string;
  workspaceId: string;
  phoneNumberId: string;
  agentId: string;
  toNumber: string;
  dynamicVariables: Record<string, unknown>;
  requestedAt: Date;
  /** `notAfter`: its hours close then. */
  campaign: { campaignId: string; contactId: string; generation: number; notAfter: Date | null } | null;
};

/** A number and when its next dial may leave. */
export type NumberPace = {
  phoneNumberId: string;
  workspaceId: string;
  phoneNumber: string;
  isActive: boolean;
  maxCps: number;
  /** Stack time in milliseconds, with fractions: rates like 30 a second have no whole ones. */
  nextDialMs: number;
  /** The dials of others were told to keep away until then: what was granted before may leave as late. Null: to nobody here. */
  othersDialMs: number | null;
  /** Slots that went by no longer ago than this are granted still: their dials leave one behind the other. Stack time. */
  lateMs: number;
  /** While its circuit is open: campaigns dial nobody before then, and one attempt then. */
  probeAt: Date | null;
};

/** The attempt that is tried, and until when no other is. */
export type Probe = { callId: string; until: Date };

export type DialGrant = { request: WaitingDial; from: string; at: Date; intervalMs: number };

export type DialRefusal = {
  request: WaitingDial;
  reason: MessageData<'dial.refused'>['reason'] | 'assistant_unreachable';
};

export type GrantFacts = {
  now: Date;
  /** Slots up to then are granted: just far enough ahead that they leave on time. */
  until: Date;
  /** Numbers whose clocks are held; null: the number is gone. Requests of other numbers wait. */
  numbers: ReadonlyMap<string, NumberPace | null>;
  /** The least generation that is dialled, by campaign. */
  gates: ReadonlyMap<string, number>;
  /** Assistants that are known and may dial; those that could not be asked are missing from both, and wait. */
  agents: ReadonlySet<string>;
  goneAgents: ReadonlySet<string>;
  /** Calls to numbers on their workspace's do-not-call list [calls.3]. */
  unwanted: ReadonlySet<string>;
  /** How many more calls of campaigns each workspace takes. Single calls were counted when they were created [general.17]. */
  room: ReadonlyMap<string, number>;
  /** Suspended workspaces: their requests wait [trust.24]. */
  suspended?: ReadonlySet<string>;
  /** Calls to numbers outside of their workspace's allowed destinations [trust.22]. */
  forbidden?: ReadonlySet<string>;
};

export type GrantPlan = {
  grants: DialGrant[];
  refusals: DialRefusal[];
  clocks: Map<string, number>;
  probes: Map<string, Probe>;
};

/**
 * How long a single call is queued at most while its assistant can't be asked for (stack ms). Attempts of a campaign are
 * no calls yet, and wait.
 */
const LONGEST_WAIT_MS = 5 * 60_000;

/** How far apart the dials of a number are at least, in stack milliseconds [campaigns.10]. */
function intervalMs(maxCps: number): number {
  return 1000 / maxCps;
}

/** How many dials of a number may be granted up to an instant. */
export function openSlots({ nextDialMs, lateMs, maxCps }: NumberPace, now: Date, until: Date): number {
  const first = Math.max(nextDialMs, now.getTime() - lateMs);
  return first > until.getTime() ? 0 : 1 + Math.floor((until.getTime() - first) / intervalMs(maxCps));
}

/** Decides, oldest request first: refuse for good, grant the number's next slot, or leave it waiting. */
export function planGrants(requests: readonly WaitingDial[], facts: GrantFacts): GrantPlan {
  const plan: GrantPlan = { grants: [], refusals: [], clocks: new Map(), probes: new Map() };
  const room = new Map(facts.room);
  for (const request of [...requests].sort(byAge)) {
    const number = facts.numbers.get(request.phoneNumberId);
    if (number === undefined) continue;
    const reason = refusalOf(request, number, facts);
    if (reason !== 'withdrawn' && facts.suspended?.has(request.workspaceId)) continue;
    // A campaign waits until its number is switched on again: none of its attempts is used up meanwhile.
    if (!reason && number && !number.isActive) continue;
    if (reason || !number) {
      plan.refusals.push({ request, reason: reason ?? 'number_unavailable' });
      continue;
    }
    const left = request.campaign ? (room.get(request.workspaceId) ?? 0) : Number.POSITIVE_INFINITY;
    if (!facts.agents.has(request.agentId)) {
      if (waitsTooLong(request, facts.now)) plan.refusals.push({ request, reason: 'assistant_unreachable' });
      continue;
    }
    if (left <= 0) continue;
    const nextMs = plan.clocks.get(number.phoneNumberId) ?? number.nextDialMs;
    const probeMs = (request.campaign && number.probeAt?.getTime()) ?? 0;
    const atMs = Math.max(nextMs, earliestMs(request, number, facts.now), probeMs);
    const at = new Date(Math.round(atMs));
    if (at > facts.until || closesBy(request, at)) continue;
    if (probeMs > 0 && plan.probes.has(number.phoneNumberId)) continue;
    if (probeMs > 0) {
      const until = new Date(at.getTime() + PROBE_PATIENCE_MS);
      plan.probes.set(number.phoneNumberId, { callId: request.callId, until });
    }
    const apartMs = intervalMs(number.maxCps);
    plan.grants.push({ request, from: number.phoneNumber, at, intervalMs: apartMs });
    plan.clocks.set(number.phoneNumberId, atMs + apartMs);
    if (request.campaign) room.set(request.workspaceId, left - 1);
  }
  return plan;
}

/** Now, or a little before: never before it was asked for. */
function earliestMs({ requestedAt }: WaitingDial, { lateMs }: NumberPace, now: Date): number {
  return Math.max(now.getTime() - lateMs, Math.min(requestedAt.getTime(), now.getTime()));
}

function refusalOf(
  request: WaitingDial,
  number: NumberPace | null,
  { now, gates, goneAgents, unwanted, forbidden }: GrantFacts,
): DialRefusal['reason'] | null {
  const { callId, campaign, agentId } = request;
  if (campaign && campaign.generation < (gates.get(campaign.campaignId) ?? campaign.generation))
    return 'withdrawn';
  if (closesBy(request, now)) return 'withdrawn';
  if (unwanted.has(callId)) return 'do_not_call';
  if (forbidden?.has(callId)) return 'destination_not_allowed';
  if (!number || (!number.isActive && !campaign)) return 'number_unavailable';
  return goneAgents.has(agentId) ? 'agent_unavailable' : null;
}

/** Outside its hours a campaign dials nobody: what is left over goes back to it. */
function closesBy({ campaign }: WaitingDial, at: Date): boolean {
  return campaign?.notAfter ? at >= campaign.notAfter : false;
}

function waitsTooLong({ campaign, requestedAt }: WaitingDial, now: Date): boolean {
  return !campaign && now.getTime() - requestedAt.getTime() >= LONGEST_WAIT_MS;
}

function byAge(a: WaitingDial, b: WaitingDial): number {
  return a.requestedAt.getTime() - b.requestedAt.getTime() || (a.callId < b.callId ? -1 : 1);
}
