import { realSleep } from '@parley/kit/time';
import { readCallConfig } from '../assistants/call-config.ts';
import type { LegEvent } from '../carriers/call-control.ts';
import type { CallUpdate } from '../carriers/call-update.ts';
import { maxDurationMs } from './call.ts';
import type { CallSession, Outcome, SessionDeps, SessionOptions } from './call-session.ts';
import { createConsult } from './consult.ts';
import { type Conversation, createConversation } from './conversation.ts';
import { createEnding } from './ending.ts';
import { createEventQueue } from './event-queue.ts';
import { createLeg, type Leg, toCallEvent } from './leg.ts';
import { createOutboundLeg } from './outbound-leg.ts';
import { createCallRecord } from './record.ts';
import { inTraceOf, logFieldsOf } from './trace-of-call.ts';
import { createTransfers } from './transfers.ts';

export const NO_ASSISTANT = 'the assistant of the call does not exist';
/** The time from the answer until the carrier must have media for the leg. Stack ms. */
const MEDIA_TIMEOUT_MS = 10_000;
/** Time to record the turn of the tool that requested the transfer. Stack ms. */
const TRANSFERRED_MS = 500;
/** Maximum wait for a ringing leg before the call is released. Real ms. */
const SETTLE_MS = 20_000;
const DEFAULT_CONFIG = readCallConfig({});

/**
 * Carries one call to its end. All events go through one queue, and the effects of commands to the carrier come back as
 * events. The call has legs; the first is the party's, and its end is the end of the call. If another worker takes the call,
 * the session ends and writes nothing.
 *
 *   outbound   dialing -> ringing -> up -> ended
 *   inbound    selecting_assistant -> ringing -> up -> ended
 */
export function createCallSession(deps: SessionDeps, options: SessionOptions): CallSession {
  const { carrier, clock, turns } = deps;
  const log = deps.log.child(logFieldsOf(options.call));
  let { assistant } = options;
  let isRecordingPaused = options.call.isRecordingPaused ?? false;
  let conversation: Conversation | undefined;
  let starting: Promise<unknown> = Promise.resolve();
  const settings = () => (assistant?.config ?? DEFAULT_CONFIG).settings;

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
      conversation?.stop('the call has ended');
      return conversation?.settled();
    },
    onChange: (before, { phase, machineDetected, reason, duration }) => {
      if (phase === 'ended') {
        log.info({ reason, duration }, 'call ended');
        finish('ended');
        return;
      }
      if (before.phase !== 'up' && phase === 'up') talk();
      if (!before.machineDetected && machineDetected) conversation?.meetMachine();
    },
    onLost: () => finish('lost'),
  });
  const { life, call, post, postEnd, command } = queue;
  const show = (update: CallUpdate): void => carrier.show?.(options.call.id, update);
  const record = createCallRecord({ turns, now: clock.now, show }, call, options.record);
  record.addInterrupted(options.interrupted ?? []);

  const ending = createEnding({
    queue,
    stopCause: options.call.stopCause,
    hangupParty: () => party.hangup(),
    onHangUp: () => conversation?.stop('the call is being hung up'),
  });
  const { hangUp, isHangingUp } = ending;

  const fail = (err: unknown): void => {
    log.error({ err }, 'the call cannot continue');
    hangUp('failed');
  };

  const endWithError: CallSession['endWithError'] = (why) => {
    log.warn({ why }, 'the call cannot continue');
    const end = (): void => hangUp('failed');
    if (call().state.phase !== 'dialing') return end();
    // The dial of a dead worker may not have become a call: the carrier decides [campaigns.11].
    starting = attach().then((isFound) => (isFound === false ? outbound.resolve(end) : end()));
  };

  const onPartyEvent = (event: LegEvent): void => {
    if (event.type === 'transfer_result') {
      transfers.complete(event.ok, event.transferId);
      // The party talks to the target, in this process or elsewhere: the assistant no longer listens or speaks.
      if (event.ok) life.after(TRANSFERRED_MS, () => conversation?.stop('the call is transferred'));
    }
    if (event.type === 'ending') conversation?.stop('the human is gone');
    if (event.type === 'ended' && event.cause === 'transferred') transfers.complete(true);
    if (event.type === 'dtmf' && conversation?.press(event.digits)) return;
    if (event.type === 'text') conversation?.write(event.text);
    if (event.type === 'media' && call().state.phase === 'up') talk();
    const callEvent = toCallEvent(event, ending.causeOf);
    if (callEvent) void post(callEvent);
  };

  const { openAudio } = deps;
  const consult = () =>
    openAudio && assistant ? createConsult({ openAudio, call: call(), config: assistant.config }) : undefined;
  const transfers = createTransfers({ ...deps, consult }, queue);
  const party = createLeg(carrier, {
    role: 'party',
    reference: options.call.id,
    state: options.call.carrierState ?? null,
    onEvent: onPartyEvent,
  });
  const legs: Leg[] = [party];
  const outbound = createOutboundLeg({
    queue,
    leg: party,
    undoDial: deps.undoDial,
    record: record.entries,
    ringTimeoutMs: () => settings().ringTimeout,
    detectsMachine: () => settings().voicemail.detection,
    openConnection: () => deps.openConnection(call()),
    stopCause: ending.stopCause,
    isHangingUp,
    hangUp,
    onUndone: () => finish('undone'),
  });

  /** The conversation begins when the call is answered and the leg has media, in any order. */
  const talk = (): void => {
    if (conversation || isHangingUp()) return;
    if (!assistant) {
      endWithError(NO_ASSISTANT);
      return;
    }
    const media = party.media();
    if (!media) {
      if (!carrier.capabilities.endsLostLegs)
        life.after(MEDIA_TIMEOUT_MS, () => conversation ?? hangUp('no_media'));
      return;
    }
    const endsLostLegs = carrier.capabilities.endsLostLegs ?? false;
    conversation = createConversation(deps, {
      queue,
      media,
      endsLostLegs,
      show,
      assistant,
      record,
      transfers,
      isRecordingPaused: () => isRecordingPaused,
      isHangingUp,
      hangUp,
    });
    conversation.begin();
    if (call().state.machineDetected) conversation.meetMachine();
  };

  const close = (): void => {
    life.end();
    conversation?.stop('the session is over');
    conversation?.close();
    for (const leg of legs) leg.detach();
    turns.forget(call());
  };

  const attach = (): Promise<boolean | undefined> =>
    life.retryUntilDone('attach', () => party.attach(record.entries));

  const selectAssistant = async (): Promise<void> => {
    const decision = await deps.decide(call(), life);
    await starting;
    if (!decision || life.signal.aborted) return;
    if (decision.type === 'reject') {
      if (decision.cause === 'texts_too_long') hangUp(decision.cause);
      // A web caller is already connected and cannot be rejected: the call fails.
      else if (call().callType === 'web') endWithError(NO_ASSISTANT);
      else hangUp(decision.cause, () => party.reject());
      return;
    }
    assistant = decision.assistant;
    queue.select(decision.selected);
    ending.applyStop();
    const isSpoken = carrier.isSpoken?.(call().id) ?? carrier.capabilities.media === 'audio';
    // While the connection of the caller is being made.
    if (isSpoken && !deps.live?.serves(assistant.config.model.provider))
      deps.speakAhead?.(assistant, call(), life.signal);
    if (!isHangingUp()) await command('answer', () => party.answer());
  };

  const resume = async (): Promise<void> => {
    const isFound = await attach();
    if (isFound === undefined) return;
    const { phase } = call().state;
    log.info({ phase, found: isFound }, 'call taken over');
    const isOutbound = call().callType === 'outbound';
    const isUnknown = phase === 'dialing' || phase === 'unknown';
    if (!isFound && !isOutbound) void postEnd('failed');
    else if (!isFound && !isUnknown) void postEnd('lost');
    else if (!isFound) outbound.resolve();
    else if (carrier.capabilities.takeover === 'none')
      endWithError('its carrier cannot continue it in another worker');
    else if (ending.applyStop()) return;
    else if (phase !== 'up' && !isOutbound) await command('answer', () => party.answer());
    else if (phase !== 'up') outbound.ringUntilTimeout(true);
    else talk();
  };

  return {
    endWithError,
    dial: (departure) => {
      starting = inTraceOf(options.call, 'dial', () => outbound.originate(departure), 'client');
    },
    answer: () => {
      starting = attach().then((isFound) => {
        if (isFound === false) void postEnd('failed');
      });
      selectAssistant().catch((err: unknown) => fail(err));
    },
    resume: () => {
      starting = resume();
    },
    stop: (cause) => {
      ending.requestStop(cause);
      // A leg that is being created has to exist before it can be hung up. A dial that may not be a call waits with its campaign.
      const isWaiting = (): boolean =>
        cause !== 'stopped' && call().campaign !== null && outbound.isInDoubt();
      void starting.then(() => (isWaiting() ? undefined : hangUp(cause)));
    },
    pauseRecording: (isPaused) => {
      isRecordingPaused = isPaused;
      conversation?.pauseRecording(isPaused);
    },
    release: async (waitMs) => {
      // A dial leaves at its slot, or is undone.
      await starting;
      const settled = waitMs > 0 && carrier.settled?.(call().id);
      if (settled) await Promise.race([settled, realSleep(SETTLE_MS, life.signal).catch(() => {})]);
      if (waitMs > 0) await conversation?.handOver(waitMs);
      conversation?.stop('the call goes to another worker');
      await conversation?.settled();
      await turns.drained(call());
      close();
      await queue.settled();
    },
  };
}
