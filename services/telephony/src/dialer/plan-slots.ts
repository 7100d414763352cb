import { PROBE_TIMEOUT_MS } from './circuit.ts';
import type { DialRequest, NumberPace, Refusal } from './dial-request.ts';
import { checkGates, type GateFacts, isClosedAt } from './gates.ts';
import type { Preparation, PrepareDial } from './prepare-dial.ts';

/** The slots that may be reserved now: earlier ones cannot be met, and later ones are left to the next round. */
export type Span = { begin: Date; end: Date };

/** `intervalMs`: the length of its slot. */
export type PlannedDial = Preparation & {
  request: DialRequest;
  from: string;
  slot: Date;
  intervalMs: number;
};
/** The attempt that is tried through an open circuit, and until when no other is. */
export type Probe = { callId: string; until: Date };

export type SlotFacts = GateFacts &
  Span & {
    /** Numbers whose clocks this transaction has locked; null: deleted. Requests of other numbers wait. */
    numbers: ReadonlyMap<string, NumberPace | null>;
    /** How many more calls of campaigns each workspace may have. Single calls were counted when they were placed [general.19]. */
    remainingCalls: ReadonlyMap<string, number>;
    /** How many more calls this worker carries. */
    freeCalls: number;
    prepare: PrepareDial;
  };

/**
 * Preparations of one workspace that may fail in a transaction; its other requests wait for the next one. Each may take milliseconds,
 * and takes no slot that would space them out.
 */
const MAX_UNPREPARED = 20;

/** The time between two slots of a number, in stack milliseconds [campaigns.10]. */
const intervalMs = ({ maxCps }: NumberPace): number => 1_000 / maxCps;

/**
 * The next free slot, in stack milliseconds. No worker reserves more than two spans and an interval ahead: if the slot is a
 * minute later than that (160 spans), the clock of a worker was wrong, and the number is dialed now.
 */
export function nextSlotMs(number: NumberPace, { begin, end }: Span): number {
  const latestMs = end.getTime() + intervalMs(number) + 160 * (end.getTime() - begin.getTime());
  return number.nextSlotMs > latestMs ? begin.getTime() : number.nextSlotMs;
}

/** The first free slot in the span. Slots that went by unused are lost. */
const firstSlotMs = (number: NumberPace, span: Span): number =>
  Math.max(nextSlotMs(number, span), span.begin.getTime());

/** How many slots of a number are free in the span. */
export function freeSlots(number: NumberPace, span: Span): number {
  const leftMs = span.end.getTime() - firstSlotMs(number, span);
  return leftMs < 0 ? 0 : 1 + Math.floor(leftMs / intervalMs(number));
}

/**
 * Decides on requests, the oldest of each workspace in turn: refuse it, reserve the number's next free slot for it, or let it wait. A
 * refused one takes neither a slot nor one of the remaining calls [campaigns.10].
 */
export function planSlots(requests: readonly DialRequest[], facts: SlotFacts) {
  const plan = {
    dials: [] as PlannedDial[],
    refusals: [] as Refusal[],
    /** The next free slots of the numbers that reserved some. */
    clocks: new Map<string, number>(),
    probes: new Map<string, Probe>(),
    /** Numbers with requests that the next transaction decides on. */
    postponed: new Set<string>(),
  };
  const remaining = new Map(facts.remainingCalls);
  const unprepared = new Map<string, number>();
  for (const request of roundRobin([...requests].sort(byAge))) {
    const { callId, campaign, workspaceId, phoneNumberId } = request;
    const number = facts.numbers.get(phoneNumberId);
    if (number === undefined) continue;
    const gate = checkGates(request, number, facts);
    if (typeof gate === 'object') plan.refusals.push({ request, reason: gate.refuse });
    if (gate !== 'open' || !number || plan.dials.length >= facts.freeCalls) continue;

    const left = remaining.get(workspaceId) ?? 0;
    if (campaign && left <= 0) continue;
    const probeAt = campaign && number.probeAt;
    if (probeAt && plan.probes.has(phoneNumberId)) continue;
    const freeMs = plan.clocks.get(phoneNumberId) ?? firstSlotMs(number, facts);
    const slotMs = Math.max(freeMs, probeAt?.getTime() ?? 0);
    const slot = new Date(Math.round(slotMs));
    if (slot > facts.end || isClosedAt(request, slot)) continue;

    const failed = unprepared.get(workspaceId) ?? 0;
    if (failed >= MAX_UNPREPARED) {
      plan.postponed.add(phoneNumberId);
      continue;
    }
    // Last, because it costs most. What can't be prepared would undo each round that reads it [trust.29].
    const prepared = facts.prepare(request);
    if (!prepared) {
      unprepared.set(workspaceId, failed + 1);
      // Campaigns know no finer reason.
      plan.refusals.push({ request, reason: campaign ? 'agent_unavailable' : 'texts_too_long' });
      continue;
    }
    plan.dials.push({ ...prepared, request, from: number.phoneNumber, slot, intervalMs: intervalMs(number) });
    plan.clocks.set(phoneNumberId, slotMs + intervalMs(number));
    if (campaign) remaining.set(workspaceId, left - 1);
    if (probeAt)
      plan.probes.set(phoneNumberId, { callId, until: new Date(slot.getTime() + PROBE_TIMEOUT_MS) });
  }
  return plan;
}

const byAge = (a: DialRequest, b: DialRequest): number =>
  a.requestedAt.getTime() - b.requestedAt.getTime() || (a.callId < b.callId ? -1 : 1);

/** Round-robin by workspace, so that the backlog of one workspace fills neither a batch nor the worker [trust.1]. */
export function roundRobin(requests: readonly DialRequest[]): DialRequest[] {
  const before = new Map<string, number>();
  const places = requests.map((request) => {
    const place = before.get(request.workspaceId) ?? 0;
    before.set(request.workspaceId, place + 1);
    return { request, place };
  });
  return places.sort((a, b) => a.place - b.place).map(({ request }) => request);
}
