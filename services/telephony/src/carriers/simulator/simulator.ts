import type { Sql } from '@parley/kit/db';
import { createLoop } from '@parley/kit/jobs';
import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type {
  Carrier,
  EndCause,
  LegEvent,
  LegListener,
  Progress,
  TransferRequest,
} from '../../domain/carrier/port.ts';
import type { Signal } from '../../domain/signal.ts';
import { createCallerStore } from './caller-store.ts';
import type { LegRecord } from './leg-events.ts';
import { createLegStore } from './leg-store.ts';
import { type LiveLeg, playLeg } from './live-leg.ts';
import { offerRings } from './offer-rings.ts';
import { planLeg, planOf } from './plan.ts';
import { sendSimulatedSms } from './send-sms.ts';

const NOTHING_SAID: Progress = { humanTurns: 0, lastSpeaker: null };

/** How late a call that came in by way of another process is heard of, in real milliseconds. */
const LOOK_EVERY_MS = 250;

/** How long the far end of a transfer is rung before it counts as unanswered, in stack milliseconds. */
const TRANSFER_RINGS_MS = 20_000;

export type SimulatorDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** Wakes when somebody called in by way of this process. */
  arrivals?: Signal;
};

/**
 * The embedded carrier (D10): it behaves as one that outlives us. Its memory is its own table, what happens on a leg
 * follows from the number and the time, and a process that attaches to a leg plays it on from where it is.
 */
export function createSimulator({ sql, clock, log, arrivals }: SimulatorDeps): Carrier {
  const store = createLegStore(sql);
  const legs = new Map<string, LiveLeg>();
  const listeners = new Map<string, Set<LegListener>>();

  const play = (record: LegRecord, progress: Progress): void => {
    const { reference } = record;
    legs.get(reference)?.drop();
    const tell = (event: LegEvent): void => {
      for (const listen of listeners.get(reference) ?? []) listen(event);
    };
    legs.set(reference, playLeg({ record, progress, clock, tell }));
  };

  /** Written before it is told: an end of ours must hold when the process dies in between. */
  const end = async (reference: string, cause: EndCause): Promise<void> => {
    await store.end(reference, cause, clock.now());
    legs.get(reference)?.end(cause);
  };

  const finishTransfer = async ({ reference }: TransferRequest, ok: boolean): Promise<void> => {
    const leg = legs.get(reference);
    leg?.tell({ type: 'transfer_result', legId: leg.record.id, at: clock.now(), ok });
    if (ok) await end(reference, 'transferred');
  };

  return {
    name: 'simulator',
    capabilities: { machineDetection: true, transfer: true, sms: true, media: 'text' },

    watch: (reference, listener) => {
      const watching = listeners.get(reference) ?? new Set();
      listeners.set(reference, watching.add(listener));
      return () => {
        watching.delete(listener);
        if (watching.size === 0) listeners.delete(reference);
      };
    },

    originate: async (request) => {
      const record = await store.insert(request, clock.now());
      play(record, NOTHING_SAID);
      if (planOf(record).losesAnswer) throw new Error('The carrier did not answer in time');
      return { legId: record.id };
    },

    receive: (listener, lifecycle) => {
      const callers = createCallerStore(sql);
      const loop = createLoop({
        name: 'calls that come in',
        everyMs: LOOK_EVERY_MS,
        run: () => offerRings({ callers, clock, log }, listener),
        log,
        lifecycle,
      });
      if (arrivals) lifecycle.onStop('arrivals', arrivals.listen(loop.wake));
    },

    answer: async (reference) => {
      await store.answer(reference, clock.now());
      const record = await store.find(reference);
      // From the beginning: what was told before is told again, and the caller begins to talk.
      if (record && legs.has(reference)) play(record, NOTHING_SAID);
    },

    reject: (reference) => end(reference, 'rejected'),

    attach: async (reference, progress) => {
      const record = await store.find(reference);
      if (record) play(record, progress);
      return record !== null;
    },

    detach: (reference) => {
      legs.get(reference)?.drop();
      legs.delete(reference);
    },

    hangup: (reference) => end(reference, 'local'),

    transfer: async (request) => {
      const { answeredMs } = planLeg(request.destination, 1);
      legs.get(request.reference)?.after(answeredMs ?? TRANSFER_RINGS_MS, () => {
        finishTransfer(request, answeredMs !== null).catch((err: unknown) =>
          log.warn({ err, callId: request.reference }, 'simulated transfer was not finished'),
        );
      });
    },

    sendSms: sendSimulatedSms,

    media: (reference) => legs.get(reference)?.port,

    health: async () => {
      await sql.$queryRawUnsafe('SELECT 1');
      return true;
    },
  };
}
