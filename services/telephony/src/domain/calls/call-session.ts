import { realSleep } from '@parley/kit/time';
import type { EndCause, LegEvent } from '../carrier/port.ts';
import type { PreparedAssistant } from '../conversation/prepare-prompt.ts';
import { failed } from '../tools/tool-outcome.ts';
import type { Call } from './call.ts';
import { type CallParts, progressOf, type SessionDeps } from './call-parts.ts';
import { createHangUp } from './hang-up.ts';
import type { CallEndCause, RejectionCause } from './judge-end.ts';
import { nextSeq } from './next-seq.ts';
import type { BegunTool, Entry } from './ports.ts';
import { originateLeg, ringUntilTimeout, settleDial } from './reach-carrier.ts';
import { createSessionLife, type SessionLife } from './session-life.ts';
import { createTalk } from './talk.ts';
import { toCallEvent } from './to-call-event.ts';
import { type CallEvent, transition } from './transition.ts';

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
  dial(departure: Promise<void>): void;
  /** Goes on with a call that another worker began, or that came in and has its assistant by now. */
  resume(): void;
  /** Hears what becomes of a call that came in, while somebody is looked for who answers it. */
  ring(): void;
  /** Turns away a call that came in. */
  reject(cause: RejectionCause): void;
  /** Hangs up by request (D6.2); may be repeated. */
  stop(): void;
  /** Ends a call that can't go on here with `error`, and hangs up. */
  giveUp(): void;
  /**
   * Lets go of the call, which goes on without this worker. Resolves when nothing of it runs here any more. Tools that
   * are under way may finish for so many real milliseconds: nobody could take those over.
   */
  release(waitMs: number): Promise<void>;
};

/** A receiver that gets a request twice can't know that it was meant once. */
const INTERRUPTED =
  'The tool was interrupted: nobody knows whether it has taken effect, and it was not asked again';

/**
 * Carries one call from its dial to its end. Everything that happens goes through one queue: an event moves the state
 * (`transition`), the row and its messages are written in one transaction, and only then the session reacts. What it
 * asks of the carrier comes back as an event. Losing the call to another worker ends the session without a trace.
 */
export function createCallSession(deps: SessionDeps, options: SessionOptions): CallSession {
  const { carrier, clock, owner, writes, turns } = deps;
  const { assistant, record } = options;
  const { settings } = assistant.config;
  const { id: reference, workspaceId } = options.call;
  const log = deps.log.child({ callId: reference, workspaceId });
  const life = createSessionLife(clock, log);
  const rules = {
    maxDurationMs: settings.maxCallDuration,
    voicemailDetection: settings.voicemail.detection,
  };
  let call = options.call;
  let queue: Promise<void> = Promise.resolve();
  let stopping = call.stopRequested;
  let isAnswered = false;

  for (const tool of options.interrupted ?? []) {
    const seq = nextSeq(record, call.fence);
    const entry: Entry = { role: 'tool', ...tool, outcome: failed(INTERRUPTED), seq, at: clock.now() };
    record.push(entry);
    turns.append(call, entry);
  }

  const close = (): void => {
    life.end();
    talk.stop('the session is over');
    unwatch();
    carrier.detach(reference);
    turns.forget(call);
  };

  const finish = (outcome: 'ended' | 'lost'): void => {
    if (life.signal.aborted) return;
    close();
    options.onOver(outcome);
  };

  const apply = async (event: CallEvent): Promise<void> => {
    if (life.signal.aborted) return;
    const next = transition(call, event, rules);
    if (!next.changed) return;
    if (event.type === 'ended') {
      talk.stop('the call has ended');
      // Nothing is written to a call that is completed.
      if (!(await turns.drained(call))) return finish('lost');
    }
    const saved = await life.insist('save', () => writes.save(owner, call, next));
    if (saved === undefined) return;
    if (!saved) return finish('lost');
    const before = call.state;
    call = { ...call, state: next.state };
    react(before);
  };

  const react = (before: Call['state']): void => {
    const { phase, machineDetected, reason, duration } = call.state;
    if (phase === 'ended') {
      log.info({ reason, duration }, 'call ended');
      finish('ended');
      return;
    }
    if (before.phase !== 'up' && phase === 'up') talk.begin();
    if (!before.machineDetected && machineDetected) talk.meetMachine();
  };

  const post: CallParts['post'] = (event) => {
    queue = queue
      .then(() => apply(event))
      .catch((err: unknown) => log.error({ err, event: event.type }, 'call event failed'));
    return queue;
  };

  const postEnd: CallParts['postEnd'] = (cause) => {
    const { answeredAt, machineDetected: machine } = call.state;
    return post({ type: 'ended', legId: null, facts: { cause, at: clock.now(), answeredAt, machine } });
  };

  const command: CallParts['command'] = async (what, act) => {
    const done = await life.insist(what, async () => {
      const isOurs = await writes.holds(owner, call);
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

  const resume = async (): Promise<void> => {
    const found = await life.insist('attach', () => carrier.attach(reference, progressOf(record)));
    if (found === undefined) return;
    const { phase, machineDetected } = call.state;
    log.info({ phase, found }, 'call taken over');
    const isUnknown = phase === 'dialing' || phase === 'unknown';
    const isOutbound = call.callType === 'outbound';
    if (!found && !isOutbound) void postEnd('failed');
    else if (!found && !isUnknown) void postEnd('lost');
    else if (!found) settleDial(parts);
    else if (phase !== 'up' && !isOutbound) await command('answer', () => carrier.answer(reference));
    else if (phase !== 'up') ringUntilTimeout(parts, true);
    else {
      talk.begin();
      if (machineDetected) talk.meetMachine();
    }
  };

  const ring = async (): Promise<void> => {
    const found = await life.insist('attach', () => carrier.attach(reference, progressOf(record)));
    if (found === false) void postEnd('failed');
  };

  const parts: CallParts = {
    deps,
    assistant,
    record,
    life,
    log,
    call: () => call,
    isAnswered: () => isAnswered,
    isStopping: () => stopping,
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
    dial: (departure) => {
      starting = originateLeg(parts, departure);
    },
    resume: () => {
      starting = resume();
    },
    ring: () => {
      starting = ring();
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
      await turns.drained(call);
      close();
      await queue;
    },
  };
}
