import { createJobLoop } from '@parley/kit/concurrency';
import type { SqlClient } from '@parley/kit/db';
import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { EndCause, LegEvent, LegSoFar, TransferRequest } from '../call-control.ts';
import type { Carrier } from '../carrier.ts';
import { createListeners } from '../listeners.ts';
import { createCallerStore } from './caller-store.ts';
import type { LegRecord } from './leg-record.ts';
import { createLegStore } from './leg-store.ts';
import { type LiveLeg, playLeg } from './live-leg.ts';
import { offerRings } from './offer-rings.ts';
import { planLeg, planOf } from './plan.ts';
import { sendSimulatedSms } from './send-sms.ts';
import type { OpenSpokenLine } from './spoken/spoken-lines.ts';

const NOT_STARTED: LegSoFar = { humanTurns: 0, lastSpeaker: null, state: null };

/** How often inbound calls created by other processes are looked for, in real time. */
const POLL_INTERVAL_MS = 250;

/** The session ends a leg at its ring time, before the carrier does. Platform time. */
const RING_TOLERANCE_MS = 5_000;

/** How long a transfer target rings before it counts as unanswered, in platform time. */
const TRANSFER_RING_TIMEOUT_MS = 20_000;

export type SimulatorDeps = {
  sql: SqlClient;
  clock: Clock;
  log: Log;
  /** Undefined: lines carry text. */
  openSpokenLine?: OpenSpokenLine | undefined;
};

/**
 * The simulated carrier [running.2]. Legs live in its own table, so they outlive a killed worker. What happens on a leg is a
 * function of the number and the time: a process that attaches continues it from its current state.
 */
export function createSimulator({ sql, clock, log, openSpokenLine }: SimulatorDeps): Carrier {
  const store = createLegStore(sql);
  const legs = new Map<string, LiveLeg>();
  const listeners = createListeners();

  const play = (record: LegRecord, soFar: LegSoFar): void => {
    const { reference } = record;
    legs.get(reference)?.drop();
    const emit = (event: LegEvent): void => listeners.emit(reference, event);
    legs.set(reference, playLeg({ record, soFar, clock, emit, openSpokenLine }));
  };

  /** Stored before it is emitted, so that it holds if the process dies in between. */
  const end = async (reference: string, cause: EndCause): Promise<void> => {
    await store.end(reference, cause, clock.now());
    legs.get(reference)?.end(cause);
  };

  /** Ends a leg that is not answered within `ms`. */
  const ringFor = (record: LegRecord, ms: number): void => {
    const { reference } = record;
    if ((planOf(record).answeredMs ?? ms) < ms) return;
    legs.get(reference)?.after(ms, () => {
      end(reference, 'no_answer').catch((err: unknown) =>
        log.warn({ err, callId: reference }, 'simulated leg could not be ended'),
      );
    });
  };

  const legHere = (reference: string): LiveLeg => {
    const leg = legs.get(reference);
    if (!leg) throw new Error('The leg is not in this process');
    return leg;
  };

  const finishTransfer = async ({ reference, transferId }: TransferRequest, ok: boolean): Promise<void> => {
    const leg = legs.get(reference);
    leg?.emit({ type: 'transfer_result', legId: leg.record.id, at: clock.now(), transferId, ok });
    if (ok) await end(reference, 'transferred');
  };

  return {
    name: 'simulator',
    capabilities: { transfer: true, takeover: 'reattach', media: openSpokenLine ? 'audio' : 'text' },

    watch: listeners.watch,

    originate: async (request) => {
      if (request.isTooLate()) return { legId: '', isSent: false };
      const record = await store.insert(request, clock.now());
      play(record, NOT_STARTED);
      ringFor(record, request.ringTimeoutMs + RING_TOLERANCE_MS);
      if (planOf(record).losesAnswer) throw new Error('The carrier did not answer in time');
      return { legId: record.id, isSent: true };
    },

    receive: (listener, lifecycle) => {
      const callers = createCallerStore(sql);
      createJobLoop({
        name: 'inbound calls',
        everyMs: POLL_INTERVAL_MS,
        run: () => offerRings({ callers, clock, log }, listener),
        log,
        lifecycle,
      });
    },

    answer: async (reference) => {
      await store.answer(reference, clock.now());
      const record = await store.find(reference);
      // Emits the leg's events again from the start; then the caller begins to talk.
      if (record && legs.has(reference)) play(record, NOT_STARTED);
    },

    reject: (reference) => end(reference, 'rejected'),

    attach: async (reference, soFar) => {
      const record = await store.find(reference);
      if (record) play(record, soFar);
      return record !== null;
    },

    detach: (reference) => {
      legs.get(reference)?.drop();
      legs.delete(reference);
    },

    hangup: (reference) => end(reference, 'local'),

    transfer: async (request) => {
      const { answeredMs } = planLeg(request.destination, 1);
      legHere(request.reference).after(answeredMs ?? TRANSFER_RING_TIMEOUT_MS, () => {
        finishTransfer(request, answeredMs !== null).catch((err: unknown) =>
          log.warn({ err, callId: request.reference }, 'simulated transfer failed'),
        );
      });
    },

    sendSms: sendSimulatedSms,

    sendDigits: async (reference, digits) => {
      await legHere(reference).sendDigits(digits);
    },

    media: (reference) => legs.get(reference)?.media(),
  };
}
