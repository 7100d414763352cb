import type { Log } from '@parley/kit/log';
import type { Call } from './call.ts';
import type { CallParts, SessionDeps } from './call-parts.ts';
import type { SessionLife } from './session-life.ts';
import { type CallEvent, type CallRules, transition } from './transition.ts';

export type EventQueue = Pick<CallParts, 'call' | 'post' | 'postEnd'> & {
  /** Resolves when nothing that was posted is under way any more. */
  settled(): Promise<void>;
};

type Options = {
  deps: SessionDeps;
  call: Call;
  rules: CallRules;
  unrecorded: boolean;
  life: SessionLife;
  log: Log;
  /** The call is about to end: nothing more is to be said in it. */
  onEnding: () => void;
  /** A change is written. */
  onChange: (before: Call['state'], now: Call['state']) => void;
  /** The call is another worker's. */
  onLost: () => void;
};

/**
 * Everything that happens to a call, one after the other: an event moves the state (`transition`), the row and its
 * messages are written in one transaction, and only then the session reacts.
 */
export function createEventQueue(options: Options): EventQueue {
  const { deps, rules, unrecorded, life, log, onEnding, onChange, onLost } = options;
  let call = options.call;
  let queue: Promise<void> = Promise.resolve();

  const apply = async (event: CallEvent): Promise<void> => {
    if (life.signal.aborted) return;
    const next = transition(call, event, rules);
    if (!next.changed) {
      call = { ...call, state: next.state };
      return;
    }
    if (event.type === 'ended') {
      onEnding();
      // Nothing is written to a call that is completed.
      if (!(await deps.turns.drained(call))) return onLost();
    }
    const saved = await life.insist('save', () =>
      deps.writes.save(deps.owner, call, { ...next, unrecorded }),
    );
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
    call: () => call,
    post,
    postEnd: (cause) => {
      const { answeredAt, machineDetected: machine } = call.state;
      return post({
        type: 'ended',
        legId: null,
        facts: { cause, at: deps.clock.now(), answeredAt, machine },
      });
    },
    settled: () => queue,
  };
}
