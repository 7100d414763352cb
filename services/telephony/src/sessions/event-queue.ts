import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { Call } from './call.ts';
import type { OwnEndCause } from './judge-end.ts';
import type { CallWrites, Owner, TurnWriter } from './ports.ts';
import { createSessionLife, type SessionLife } from './session-life.ts';
import { type CallEvent, type CallRules, transition } from './transition.ts';

/** The assistant that was selected for a call. */
export type SelectedAssistant = Pick<
  Call,
  'agentId' | 'agentVersion' | 'agentWebhookUrl' | 'dynamicVariables'
>;

/** The state of a call in this process, and the only way to change it. */
export type EventQueue = {
  life: SessionLife;
  log: Log;
  clock: Clock;
  call(): Call;
  /** Stack milliseconds since then; 0 if it is null, or in the future by another worker's clock. */
  sinceMs(at: Date | null): number;
  /** Queues an event; resolves when its effect is committed. */
  post(event: CallEvent): Promise<void>;
  /** Ends the call for a reason that no leg reports. */
  postEnd(cause: OwnEndCause | 'lost'): Promise<void>;
  /** The assistant of the call is committed. */
  select(assistant: SelectedAssistant): void;
  /**
   * Sends a command to the carrier, and repeats it until it succeeds or the session ends; not if another worker holds the
   * call. False: it was not sent.
   */
  command(what: string, act: () => Promise<void>): Promise<boolean>;
  /** Resolves when all posted events are applied. */
  settled(): Promise<void>;
};

type Deps = { clock: Clock; owner: Owner; writes: CallWrites; turns: TurnWriter };

type Options = {
  call: Call;
  log: Log;
  /** Read at each event: an inbound call gets its assistant while it rings. */
  rules: () => CallRules & { unrecorded: boolean };
  /** The call is about to end: turns are not recorded once this has resolved. */
  onEnding: () => Promise<unknown> | undefined;
  /** A change is committed. */
  onChange: (before: Call['state'], now: Call['state']) => void;
  /** Another worker holds the call. */
  onLost: () => void;
};

/**
 * Applies the events of a call one by one: an event moves the state (`transition`), the row and its messages are written in
 * one transaction, and only then the session reacts.
 */
export function createEventQueue({ clock, owner, writes, turns }: Deps, options: Options): EventQueue {
  const { log, rules, onEnding, onChange, onLost } = options;
  const life = createSessionLife(clock, log);
  let call = options.call;
  let queue: Promise<void> = Promise.resolve();

  const apply = async (event: CallEvent): Promise<void> => {
    if (life.signal.aborted) return;
    const { unrecorded, ...limits } = rules();
    const next = transition(call, event, limits);
    if (!next.changed) {
      call = { ...call, state: next.state };
      return;
    }
    if (event.type === 'ended') {
      await onEnding();
      // Turns cannot be written once the call is completed.
      if (!(await turns.drained(call))) return onLost();
    }
    const saved = await life.retryUntilDone('save', () => writes.save(owner, call, { ...next, unrecorded }));
    if (saved === undefined) return;
    if (!saved) return onLost();
    const before = call.state;
    call = { ...call, state: next.state };
    onChange(before, next.state);
  };

  const post: EventQueue['post'] = (event) => {
    queue = queue
      .then(() => apply(event))
      .catch((err: unknown) => log.error({ err, event: event.type }, 'call event failed'));
    return queue;
  };

  return {
    life,
    log,
    clock,
    call: () => call,
    sinceMs: (at) => (at ? Math.max(0, clock.now().getTime() - at.getTime()) : 0),
    post,
    postEnd: (cause) => {
      const { answeredAt, machineDetected: machine } = call.state;
      return post({ type: 'ended', legId: null, facts: { cause, at: clock.now(), answeredAt, machine } });
    },
    select: (assistant) => {
      const { state } = call;
      const phase = state.phase === 'selecting_assistant' ? 'ringing' : state.phase;
      call = { ...call, ...assistant, state: { ...state, phase } };
    },
    command: async (what, act) => {
      const done = await life.retryUntilDone(what, async () => {
        const isOurs = await writes.holds(owner, call);
        if (isOurs && !life.signal.aborted) await act();
        return isOurs;
      });
      if (done === false) onLost();
      return done ?? false;
    },
    settled: () => queue,
  };
}
