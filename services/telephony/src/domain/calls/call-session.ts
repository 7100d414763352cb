import { realSleep } from '@parley/kit/time';
import type { EndCause, LegEvent } from '../carrier/port.ts';
import type { PreparedAssistant } from '../conversation/prepare-prompt.ts';
import type { Departure } from '../dialing/departures.ts';
import { listenToRing, resumeLeg } from './attach-leg.ts';
import type { Call } from './call.ts';
import type { CallParts, SessionDeps } from './call-parts.ts';
import { createEventQueue } from './event-queue.ts';
import { createHangUp } from './hang-up.ts';
import type { CallEndCause, RejectionCause } from './judge-end.ts';
import { noteInterrupted } from './note-interrupted.ts';
import type { BegunTool, Entry } from './ports.ts';
import { originateLeg } from './reach-carrier.ts';
import { createSessionLife, type SessionLife } from './session-life.ts';
import { createTalk } from './talk.ts';
import { toCallEvent } from './to-call-event.ts';
import { inTraceOf, logFieldsOf } from './trace-of-call.ts';

export type SessionOptions = {
  call: Call;
  assistant: PreparedAssistant;
  record: Entry[];
  /** What a worker that died had begun: nobody is asked for it again, and the assistant is told. */
  interrupted?: readonly BegunTool[];
  /** The session is over: `ended`, or not ours any more. */
  onOver: (outcome: 'ended' | 'lost') => void;
};

/** A call in the hands of this worker. */
export type CallSession = {
  /** Its timers and retries; over when the session is. */
  life: SessionLife;
  /** Asks the carrier, once, when the number's pace lets it leave. */
  dial(departure: Departure): void;
  /** Goes on with a call that another worker began, or that came in and has its assistant by now. */
  resume(): void;
  /** Hears what becomes of a call that came in, while somebody is looked for who answers it. */
  ring(): void;
  /** Turns away a call that came in. */
  reject(cause: RejectionCause): void;
  /** Hangs up by request (D6.2); may be repeated. */
  stop(): void;
  /** Whether a client wants the call ended: whoever goes on with it has to know. */
  isStopping(): boolean;
  /** Ends a call that can't go on here with `error`, and hangs up. */
  giveUp(): void;
  /**
   * Lets go of the call, which goes on without this worker. Resolves when nothing of it runs here any more. Tools that
   * are under way may finish for so many real milliseconds: nobody could take those over.
   */
  release(waitMs: number): Promise<void>;
};

/**
 * Carries one call from its dial to its end. Everything that happens goes through one queue, and what the session asks of
 * the carrier comes back as an event. Losing the call to another worker ends the session without a trace.
 */
export function createCallSession(deps: SessionDeps, options: SessionOptions): CallSession {
  const { carrier, clock, owner, writes, turns } = deps;
  const { assistant, record } = options;
  const { settings } = assistant.config;
  const { id: reference } = options.call;
  const log = deps.log.child(logFieldsOf(options.call));
  const life = createSessionLife(clock, log);
  let stopping = options.call.stopRequested;
  let isAnswered = false;

  noteInterrupted(deps, options.call, record, options.interrupted ?? []);

  const close = (): void => {
    life.end();
    talk.stop('the session is over');
    unwatch();
    carrier.detach(reference);
    turns.forget(queue.call());
  };

  const finish = (outcome: 'ended' | 'lost'): void => {
    if (life.signal.aborted) return;
    close();
    options.onOver(outcome);
  };

  const onChange = (before: Call['state'], now: Call['state']): void => {
    const { phase, machineDetected, reason, duration } = now;
    if (phase === 'ended') {
      log.info({ reason, duration }, 'call ended');
      finish('ended');
      return;
    }
    if (before.phase !== 'up' && phase === 'up') talk.begin();
    if (!before.machineDetected && machineDetected) talk.meetMachine();
  };

  const queue = createEventQueue({
    deps,
    call: options.call,
    rules: {
      maxDurationMs: settings.maxCallDuration,
      voicemailDetection: settings.voicemail.detection,
    },
    unrecorded: !settings.recording.enabled,
    life,
    log,
    onEnding: () => talk.stop('the call has ended'),
    onChange,
    onLost: () => finish('lost'),
  });
  const { call, post, postEnd } = queue;

  const command: CallParts['command'] = async (what, act) => {
    const done = await life.insist(what, async () => {
      const isOurs = await writes.holds(owner, call());
      if (isOurs && !life.signal.aborted) await act();
      return isOurs;
    });
    if (done === false) finish('lost');
    return done ?? false;
  };

  const fail = (err: unknown): void => {
    log.error({ err }, 'the call cannot go on');
    hangUp.begin('failed');
  };

  /** An end that the carrier knows as ours says why we wanted it. */
  const named = (cause: EndCause): CallEndCause => {
    if (cause === 'local') return hangUp.why() ?? (stopping ? 'stopped' : 'local');
    return cause === 'rejected' ? (hangUp.why() ?? 'rejected') : cause;
  };

  const onLeg = (event: LegEvent): void => {
    if (event.type === 'answered') isAnswered = true;
    if (event.type === 'transfer_result') talk.transferred(event.ok);
    if (event.type === 'ended' && event.cause === 'transferred') talk.transferred(true);
    const callEvent = toCallEvent(event, named);
    if (callEvent) void post(callEvent);
  };

  const goOnTalking = (): void => {
    talk.begin();
    if (call().state.machineDetected) talk.meetMachine();
  };

  const parts: CallParts = {
    deps,
    assistant,
    record,
    life,
    log,
    call,
    isAnswered: () => isAnswered,
    isStopping: () => stopping,
    isHangingUp: () => hangUp.why() !== undefined,
    post,
    postEnd,
    command,
    hangUp: (why = 'local') => hangUp.begin(why),
    fail,
  };
  const onBegin = (): void => talk.stop('the call is being hung up');
  const hangUp = createHangUp({ ...parts, onBegin });
  const talk = createTalk(parts);
  const unwatch = carrier.watch(reference, onLeg);
  let starting: Promise<void> = Promise.resolve();
  return {
    life,
    isStopping: parts.isStopping,
    dial: (departure) => {
      starting = inTraceOf(options.call, 'dial', () => originateLeg(parts, departure), 'client');
    },
    resume: () => {
      starting = resumeLeg(parts, goOnTalking);
    },
    ring: () => {
      starting = listenToRing(parts);
    },
    reject: (cause) => hangUp.begin(cause, () => carrier.reject(reference)),
    stop: () => {
      if (!stopping) log.info('the call is to be stopped');
      stopping = true;
      // A leg that is just being asked for has to be there before it can be hung up.
      void starting.then(() => hangUp.begin('stopped'));
    },
    giveUp: () => fail(new Error('the assistant of the call is not to be found')),
    release: async (waitMs) => {
      // A dial that was granted leaves: whoever takes the call over won't dial it again.
      await starting;
      if (waitMs > 0) await Promise.race([talk.toolsDone(), realSleep(waitMs, life.signal).catch(() => {})]);
      talk.stop('the call goes to another worker');
      await turns.drained(call());
      close();
      await queue.settled();
    },
  };
}
