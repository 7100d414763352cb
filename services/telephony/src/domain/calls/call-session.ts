import { backOffMs } from '@parley/kit/jobs';
import type { Log } from '@parley/kit/log';
import { type Clock, realSleep } from '@parley/kit/time';
import type { Carrier, LegEvent, Progress } from '../carrier/port.ts';
import type { ConversationEngine } from '../conversation/engine-port.ts';
import type { PreparedAssistant } from '../conversation/prepare-prompt.ts';
import type { ToolRunner } from '../tools/run-tool.ts';
import type { Call } from './call.ts';
import { type Conversation, createConversation } from './conversation.ts';
import type { CallWrites, Entry, Owner, TurnWriter } from './ports.ts';
import { toCallEvent } from './to-call-event.ts';
import { type CallEvent, transition } from './transition.ts';

export type SessionDeps = {
  carrier: Carrier;
  clock: Clock;
  log: Log;
  owner: Owner;
  writes: CallWrites;
  turns: TurnWriter;
  engine: ConversationEngine;
  runTool: ToolRunner;
};

export type SessionOptions = {
  call: Call;
  assistant: PreparedAssistant;
  record: Entry[];
  /** The session is over: `ended`, or not ours any more. */
  onOver: (outcome: 'ended' | 'lost') => void;
};

/** A call in the hands of this worker. */
export type CallSession = {
  /** Asks the carrier, once, at the slot that was granted. */
  dial(at: Date): void;
  /** Goes on with a call that another worker began. */
  resume(): void;
  /** Ends a call that can't go on here with `error`, and hangs up. */
  giveUp(): void;
  /** Lets go of the call, which goes on without this worker. Resolves when nothing of it runs here any more. */
  release(): Promise<void>;
};

/** How often the carrier is asked about a dial whose answer was lost, and how long beyond the ring time (stack ms). */
const SETTLE_EVERY_MS = 2_000;
const SETTLE_BEYOND_RING_MS = 30_000;
/** A carrier that was asked to hang up tells the end; one that doesn't is not waited for any longer. */
const HANGUP_TAKES_MS = 10_000;

/**
 * Carries one call from its dial to its end. Everything that happens goes through one queue: an event moves the state
 * (`transition`), the row and its messages are written in one transaction, and only then the session reacts. What it
 * asks of the carrier comes back as an event. Losing the call to another worker ends the session without a trace.
 */
export function createCallSession(deps: SessionDeps, options: SessionOptions): CallSession {
  const { carrier, clock, owner, writes, turns } = deps;
  const { assistant, record } = options;
  const { settings } = assistant.config;
  const log = deps.log.child({ callId: options.call.id, workspaceId: options.call.workspaceId });
  const reference = options.call.id;
  const over = new AbortController();
  const talking = new AbortController();
  const timers = new Set<() => void>();
  const transfers = new Set<(ok: boolean) => void>();
  let call = options.call;
  let queue: Promise<void> = Promise.resolve();
  let conversation: Conversation | undefined;
  let hangingUp = false;

  const rules = {
    maxDurationMs: settings.maxCallDuration,
    voicemailDetection: settings.voicemail.detection,
  };

  const close = (): void => {
    over.abort(new Error('the call is over'));
    talking.abort(over.signal.reason);
    for (const cancel of timers) cancel();
    unwatch();
    carrier.detach(reference);
    turns.forget(reference);
  };

  const finish = (outcome: 'ended' | 'lost'): void => {
    if (over.signal.aborted) return;
    close();
    options.onOver(outcome);
  };

  /** Does something in stack time, unless the call is over by then; returns the cancellation. */
  const after = (ms: number, act: () => void): (() => void) => {
    const cancel = clock.timer(Math.max(0, ms), () => {
      timers.delete(cancel);
      act();
    });
    timers.add(cancel);
    return () => {
      timers.delete(cancel);
      cancel();
    };
  };

  const sinceMs = (at: Date | null): number => (at ? clock.now().getTime() - at.getTime() : 0);

  /** Tries until it works or the call is over: databases and carriers come back. */
  const insist = async <T>(what: string, attempt: () => Promise<T>): Promise<T | undefined> => {
    for (let failures = 1; !over.signal.aborted; failures += 1) {
      try {
        return await attempt();
      } catch (err) {
        log.warn({ err, what, failures }, 'call step failed, trying again');
        await realSleep(backOffMs(failures), over.signal).catch(() => {});
      }
    }
    return undefined;
  };

  const apply = async (event: CallEvent): Promise<void> => {
    if (over.signal.aborted) return;
    const next = transition(call, event, rules);
    if (!next.changed) return;
    if (event.type === 'ended') {
      talking.abort(new Error('the call has ended'));
      // Nothing is written to a call that is completed.
      if (!(await turns.drained(reference))) return finish('lost');
    }
    const saved = await insist('save', () => writes.save(owner, call, next.state, next.news));
    if (saved === undefined) return;
    if (!saved) return finish('lost');
    const before = call.state;
    call = { ...call, state: next.state };
    if (call.state.phase === 'ended') {
      log.info({ reason: call.state.reason, duration: call.state.duration }, 'call ended');
      return finish('ended');
    }
    if (before.phase !== 'up' && call.state.phase === 'up') talk();
    if (!before.machineDetected && call.state.machineDetected) meetMachine();
  };

  const post = (event: CallEvent): Promise<void> => {
    queue = queue.then(() => apply(event)).catch((err: unknown) => log.error({ err }, 'call event failed'));
    return queue;
  };

  const postEnd = (cause: 'local' | 'lost' | 'unsettled' | 'failed'): Promise<void> => {
    const { answeredAt, machineDetected: machine } = call.state;
    return post({ type: 'ended', legId: null, facts: { cause, at: clock.now(), answeredAt, machine } });
  };

  const onLeg = (event: LegEvent): void => {
    if (event.type === 'transfer_result') {
      for (const resolve of transfers) resolve(event.ok);
      transfers.clear();
      return;
    }
    const callEvent = toCallEvent(event);
    if (callEvent) void post(callEvent);
  };

  const hangUp = (): void => {
    if (hangingUp || over.signal.aborted) return;
    hangingUp = true;
    talking.abort(new Error('the call is being hung up'));
    after(HANGUP_TAKES_MS, () => void postEnd('local'));
    void insist('hang up', () => carrier.hangup(reference));
  };

  const fail = (err: unknown): void => {
    log.error({ err }, 'conversation failed');
    void carrier.hangup(reference).catch(() => {});
    void postEnd('failed');
  };

  const converse = (signal: AbortSignal): Conversation | undefined => {
    const port = carrier.media(reference);
    return (
      port &&
      createConversation(
        {
          engine: deps.engine,
          turns,
          now: clock.now,
          awaitHuman: () => after(settings.silenceTimeout, hangUp),
          runTool: (invocation, aborts) =>
            deps.runTool({ call, assistant, transferResult }, invocation, aborts),
          endCall: hangUp,
        },
        { call, assistant, port, record, signal },
      )
    );
  };

  const transferResult = (): Promise<boolean> => new Promise((resolve) => transfers.add(resolve));

  const talk = (): void => {
    after(settings.maxCallDuration - sinceMs(call.state.answeredAt), hangUp);
    if (call.state.machineDetected) return;
    conversation = converse(talking.signal);
    const running = conversation?.run() ?? Promise.reject(new Error('the leg carries no media'));
    running.then(hangUp, (err: unknown) => {
      if (!talking.signal.aborted) fail(err);
    });
  };

  /** A voicemail picked up: the assistant stops, leaves its message if it has one, and hangs up (D3.3). */
  const meetMachine = (): void => {
    talking.abort(new Error('a machine picked up'));
    const leaves = settings.voicemail.action === 'leave_message' && !call.state.voicemailMessageLeft;
    if (!leaves) {
      hangUp();
      return;
    }
    const message = async (): Promise<void> => {
      await converse(over.signal)?.say(assistant.voicemailMessage);
      await post({ type: 'message_left' });
      hangUp();
    };
    message().catch((err: unknown) => {
      if (!over.signal.aborted) fail(err);
    });
  };

  const progress = (): Progress => {
    const spoken = record.flatMap(({ role }) => (role === 'tool' ? [] : [role]));
    return {
      humanTurns: spoken.filter((role) => role === 'user').length,
      lastSpeaker: spoken.at(-1) ?? null,
    };
  };

  /** Nobody knows whether the dial got through: ask until it is known or the time is up, and never dial again. */
  const settle = (): void => {
    const isUnknown = call.state.phase === 'dialing' || call.state.phase === 'unknown';
    if (!isUnknown || over.signal.aborted) return;
    const leftMs = settings.ringTimeout + SETTLE_BEYOND_RING_MS - sinceMs(call.state.startedAt);
    if (leftMs <= 0) {
      void carrier.hangup(reference).catch(() => {});
      void postEnd('unsettled');
      return;
    }
    void insist('ask the carrier', () => carrier.attach(reference, progress())).then((found) => {
      if (!found) after(Math.min(SETTLE_EVERY_MS, leftMs), settle);
    });
  };

  const ringUntilTimeout = (): void => {
    const leftMs = settings.ringTimeout - sinceMs(call.state.startedAt);
    after(leftMs, () => {
      const rings = call.state.phase === 'ringing' || call.state.phase === 'dialing';
      if (rings) hangUp();
    });
  };

  const originate = async (at: Date): Promise<void> => {
    await clock.sleep(Math.max(0, at.getTime() - clock.now().getTime()));
    const { workspaceId, fromNumber, toNumber } = call;
    ringUntilTimeout();
    try {
      await carrier.originate({ reference, workspaceId, from: fromNumber ?? '', to: toNumber ?? '' });
    } catch (err) {
      log.warn({ err }, 'the answer of the carrier was lost');
      await post({ type: 'answer_lost' });
      after(SETTLE_EVERY_MS, settle);
    }
  };

  const resume = async (): Promise<void> => {
    const found = await insist('attach', () => carrier.attach(reference, progress()));
    if (found === undefined) return;
    const { phase } = call.state;
    log.info({ phase, found }, 'call taken over');
    if (phase === 'dialing' || phase === 'unknown') return found ? ringUntilTimeout() : settle();
    if (!found) return void postEnd('lost');
    if (phase === 'ringing') return ringUntilTimeout();
    talk();
    if (call.state.machineDetected) meetMachine();
  };

  const unwatch = carrier.watch(reference, onLeg);
  let starting: Promise<void> = Promise.resolve();
  return {
    dial: (at) => {
      starting = originate(at);
    },
    resume: () => {
      starting = resume();
    },
    giveUp: () => fail(new Error('the assistant of the call is not to be found')),
    release: async () => {
      // A dial that was granted leaves: whoever takes the call over won't dial it again.
      await starting;
      close();
      await queue;
    },
  };
}
