import type { Metrics } from '@parley/kit/observability';
import { LRUCache } from 'lru-cache';
import type { EndCause, LegEvent } from '../call-control.ts';
import type { Drop } from './signalling/note-drops.ts';

type Direction = 'inbound' | 'outbound';

/**
 * Why a request from outside was refused: the caller has to authenticate, sent too many requests, or this worker has no free capacity; or why
 * a connection or message was dropped before it was looked at.
 */
export type Refusal = 'challenged' | 'limited' | 'no_room' | Drop;

export type SipMetrics = {
  /** How many edges there are, and at how many of them this worker is registered. */
  edges(count: { known: number; registered: number }): void;
  refused(reason: Refusal): void;
  /** A call leaves for its trunk, or has come from it. */
  began(callId: string, direction: Direction): void;
  /** What the trunk, or our side, has done since. */
  happened(callId: string, event: LegEvent): void;
  /** It was refused before it was a call. */
  dropped(callId: string): void;
};

/** How a set-up ended; `failed` is the trunk's or the edge's failure, all others are the human's or the network's answer. */
type Outcome = 'answered' | 'busy' | 'no_answer' | 'refused' | 'cancelled' | 'failed';

const OUTCOMES: Partial<Record<EndCause, Outcome>> = {
  busy: 'busy',
  no_answer: 'no_answer',
  refused: 'refused',
  rejected: 'refused',
  local: 'cancelled',
  remote: 'cancelled',
};
/** Set-ups under way. */
const MAX_PENDING = 10_000;
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 8, 13, 20, 40];

type SetUp = { direction: Direction; beganMs: number; isTimed: boolean };

export function createSipMetrics(metrics: Metrics, nowMs: () => number): SipMetrics {
  const pending = new LRUCache<string, SetUp>({ max: MAX_PENDING });
  const known = metrics.gauge('parley_sip_edges', 'SIP edges that this worker knows');
  const registered = metrics.gauge(
    'parley_sip_edges_registered',
    'SIP edges at which this worker is registered',
  );
  const refusals = metrics.counter(
    'parley_sip_refused_total',
    'Connections and requests from outside that were not taken',
    ['reason'],
  );
  const setUps = metrics.counter('parley_sip_setups_total', 'Calls over trunks by how their set-up ended', [
    'direction',
    'outcome',
  ]);
  const durations = metrics.histogram(
    'parley_sip_setup_seconds',
    'Time from the INVITE until the call rang, was answered or was refused',
    ['direction'],
    SECONDS,
  );
  return {
    edges: (count) => {
      known.set(count.known);
      registered.set(count.registered);
    },
    refused: (reason) => refusals.inc({ reason }),
    began: (callId, direction) => void pending.set(callId, { direction, beganMs: nowMs(), isTimed: false }),
    happened: (callId, event) => {
      const setUp = pending.get(callId);
      if (!setUp) return;
      const { direction, beganMs } = setUp;
      const outcome = outcomeOf(event);
      if (!setUp.isTimed && (outcome || event.type === 'ringing' || event.type === 'progress')) {
        durations.observe({ direction }, (nowMs() - beganMs) / 1_000);
        setUp.isTimed = true;
      }
      if (!outcome) return;
      pending.delete(callId);
      setUps.inc({ direction, outcome });
    },
    dropped: (callId) => void pending.delete(callId),
  };
}

function outcomeOf(event: LegEvent): Outcome | undefined {
  if (event.type === 'answered') return 'answered';
  return event.type === 'ended' ? (OUTCOMES[event.cause] ?? 'failed') : undefined;
}
