import { realSleep } from '@parley/kit/time';
import { readCallConfig } from '../assistants/call-config.ts';
import type { CallUpdate } from '../carriers/call-update.ts';
import { maxDurationMs } from './call.ts';
import type { CallSession, Outcome, SessionDeps, SessionOptions } from './call-session.ts';
import { createCallStart, NO_ASSISTANT } from './call-start.ts';
import { createEnding } from './ending.ts';
import { createEventQueue } from './event-queue.ts';
import { createOutboundLeg } from './outbound-leg.ts';
import { createParty } from './party.ts';
import { createCallRecord } from './record.ts';
import { logFieldsOf } from './trace-of-call.ts';

/** How long `release` waits for a ringing leg to settle. Real ms. */
const SETTLE_MS = 20_000;
const DEFAULT_CONFIG = readCallConfig({});

/**
 * Carries one call to its end. All events go through one queue, and the effects of commands to the carrier come back as
 * events. The end of the party's leg is the end of the call. If another worker takes the call, the session ends and writes nothing.
 *
 *   outbound           dialing -> ringing -> up -> ended
 *   inbound and web    selecting_assistant -> ringing -> up -> ended
 *
 * The parts of a session call each other, but only after all of them are created.
 */
export function createCallSession(deps: SessionDeps, options: SessionOptions): CallSession {
  const { carrier, clock, turns } = deps;
  const log = deps.log.child(logFieldsOf(options.call));
  let { assistant } = options;
  const settings = () => (assistant?.config ?? DEFAULT_CONFIG).settings;
  const show = (update: CallUpdate): void => carrier.show?.(options.call.id, update);

  const close = (): void => {
    life.end();
    party.conversation()?.stop('the session is over');
    party.conversation()?.close();
    party.leg.detach();
    turns.forget(call());
  };
  const finish = (outcome: Outcome): void => {
    if (life.signal.aborted) return;
    close();
    options.onOver(outcome);
  };

  const queue = createEventQueue(deps, {
    call: options.call,
    log,
    rules: () => ({
      maxDurationMs: maxDurationMs(options.call, settings().maxCallDuration),
      voicemailDetection: settings().voicemail.detection,
      unrecorded: !settings().recording.enabled,
    }),
    onEnding: () => {
      party.conversation()?.stop('the call has ended');
      return party.conversation()?.settled();
    },
    onChange: (before, { phase, machineDetected, reason, duration }) => {
      if (phase === 'ended') {
        log.info({ reason, duration }, 'call ended');
        finish('ended');
        return;
      }
      if (before.phase !== 'up' && phase === 'up') party.talk();
      if (!before.machineDetected && machineDetected) party.conversation()?.onMachineDetected();
    },
    onLost: () => finish('lost'),
  });
  const { life, call } = queue;
  const record = createCallRecord({ turns, now: clock.now, show }, call, options.record);
  record.addInterrupted(options.interrupted ?? []);

  const ending = createEnding({
    queue,
    stopCause: options.call.stopCause,
    hangupParty: () => party.leg.hangup(),
    onHangUp: () => party.conversation()?.stop('the call is being hung up'),
  });
  const { hangUp, isHangingUp } = ending;
  const party = createParty(deps, {
    call: options.call,
    queue,
    ending,
    record,
    show,
    assistant: () => assistant,
    onAnsweredWithoutAssistant: () => endWithError(NO_ASSISTANT),
  });
  const outbound = createOutboundLeg({
    queue,
    leg: party.leg,
    record: record.entries,
    isHangingUp,
    hangUp,
    undoDial: deps.undoDial,
    ringTimeoutMs: () => settings().ringTimeout,
    detectsMachine: () => settings().voicemail.detection,
    openConnection: () => deps.openConnection(call()),
    stopCause: ending.stopCause,
    onUndone: () => finish('undone'),
  });
  const { dial, answer, resume, endWithError, started } = createCallStart(deps, {
    queue,
    ending,
    party,
    outbound,
    record: record.entries,
    onAssistant: (selected) => {
      assistant = selected;
    },
  });

  return {
    dial,
    answer,
    resume,
    endWithError,
    pauseRecording: party.pauseRecording,
    stop: (cause) => {
      ending.requestStop(cause);
      // A leg that is being created has to exist before it can be hung up. A campaign's dial of which the carrier may know nothing is not
      // hung up: its campaign decides once the carrier has been asked.
      const isWaiting = (): boolean =>
        cause !== 'stopped' && call().campaign !== null && outbound.isInDoubt();
      void started().then(() => (isWaiting() ? undefined : hangUp(cause)));
    },
    release: async (waitMs) => {
      // A dial leaves at its slot, or is undone.
      await started();
      const settled = waitMs > 0 && carrier.settled?.(call().id);
      if (settled) await Promise.race([settled, realSleep(SETTLE_MS, life.signal).catch(() => {})]);
      if (waitMs > 0) await party.conversation()?.handOver(waitMs);
      party.conversation()?.stop('the call goes to another worker');
      await party.conversation()?.settled();
      await turns.drained(call());
      close();
      await queue.settled();
    },
  };
}
