import type { AssistantSnapshot } from '@parley/contracts';
import type { Log } from '@parley/kit/log';
import type { Call } from '../calls/call.ts';
import type { SessionDeps } from '../calls/call-parts.ts';
import { type CallSession, createCallSession } from '../calls/call-session.ts';
import type { BegunTool, Entry } from '../calls/ports.ts';
import type { SessionLife } from '../calls/session-life.ts';
import { type PreparedAssistant, prepareAssistant } from '../conversation/prepare-prompt.ts';
import type { Departures } from '../dialing/departures.ts';
import type { DueDial } from '../dialing/grant-dials.ts';
import type { Decision } from '../inbound/decide-answer.ts';
import { isUndecided, nobody } from '../inbound/nobody.ts';

export type SwitchboardDeps = Omit<SessionDeps, 'log'> & {
  log: Log;
  departureOf: Departures['of'];
  /** What carries web calls; all others go by `carrier`. */
  web: Pick<SessionDeps, 'carrier' | 'runTool'>;
  /** Looks for somebody to answer a call that came in, for as long as its session lives. */
  decide: (call: Call, life: SessionLife) => Promise<Decision | undefined>;
  /** A call has ended here: its analysis is due. */
  onEnded: () => void;
};

/** A call of another worker, with what is on record of it. */
export type OrphanedCall = {
  call: Call;
  snapshot: AssistantSnapshot | null;
  record: Entry[];
  interrupted: BegunTool[];
};

/** The sessions of this worker, by call. */
export type Switchboard = {
  dial(dials: readonly DueDial[]): void;
  takeOver(orphans: readonly OrphanedCall[]): Promise<void>;
  /** A call that came in is this worker's. */
  receive(call: Call): void;
  /**
   * Compares the sessions with the calls that are this worker's by the database. Lets go of those that are another's by
   * now. Answers with the strays: calls that had no session here at the last look either, since what was to follow the
   * commit that made them ours has failed, or its acknowledgement was lost.
   */
  compare(askHeld: () => Promise<ReadonlyMap<string, number>>): Promise<string[]>;
  /** Ends calls by request; of those that aren't here nothing is known. May be repeated. */
  stop(callIds: readonly string[]): void;
  releaseAll(): Promise<void>;
  size(): number;
};

/** How long tools that are under way are waited for when the worker stops. Real time. */
const TOOLS_TAKE_MS = 5_000;

export function createSwitchboard(deps: SwitchboardDeps): Switchboard {
  const sessions = new Map<string, { fence: number; session: CallSession }>();
  /** Held calls without a session, when they were looked for last. */
  let missed = new Map<string, number>();
  let closed = false;

  const open = (
    call: Call,
    assistant: PreparedAssistant,
    record: Entry[],
    interrupted: readonly BegunTool[] = [],
  ): CallSession => {
    const line = call.callType === 'web' ? deps.web : {};
    const session = createCallSession(
      { ...deps, ...line },
      {
        call,
        assistant,
        record,
        interrupted,
        onOver: (outcome) => {
          if (sessions.get(call.id)?.session === session) sessions.delete(call.id);
          if (outcome === 'ended') deps.onEnded();
          else deps.log.warn({ callId: call.id }, 'call belongs to another worker');
        },
      },
    );
    sessions.set(call.id, { fence: call.fence, session });
    return session;
  };

  const release = async (callId: string, waitMs = 0): Promise<void> => {
    const held = sessions.get(callId);
    sessions.delete(callId);
    await held?.session.release(waitMs);
  };

  const answer = async (call: Call, session: CallSession): Promise<void> => {
    session.ring();
    const decision = await deps.decide(call, session.life);
    const isOver = (): boolean => session.life.signal.aborted || closed;
    if (!decision || isOver()) return;
    // Whoever joined a web call is there already, and nobody is there for it any more.
    if (decision.type === 'reject' && call.callType === 'web') return session.giveUp();
    if (decision.type === 'reject') return session.reject(decision.cause);
    // The leg goes from the one that listened to the one that talks. It is known here all the while: a stop is kept for
    // the one that follows, and whoever takes the call away meanwhile has it.
    await session.release(0);
    if (closed || sessions.get(call.id)?.session !== session) return;
    const stopRequested = session.isStopping();
    open({ ...decision.call, stopRequested }, decision.assistant, []).resume();
  };

  const receive = (call: Call): void => {
    // Taken for a stray meanwhile.
    if (closed || sessions.has(call.id)) return;
    const session = open(call, nobody(call), []);
    answer(call, session).catch((err: unknown) => {
      deps.log.error({ err, callId: call.id }, 'nobody could be found to answer a call');
      session.giveUp();
    });
  };

  return {
    receive,
    dial: (dials) => {
      for (const { call, assistant, slot } of dials) {
        // Taken for a stray meanwhile: a dial that nobody knows to have left is settled, not repeated.
        if (sessions.has(call.id)) continue;
        open(call, assistant, []).dial(deps.departureOf(call.phoneNumberId ?? call.id, slot));
      }
    },
    takeOver: async (orphans) => {
      // A session that lost its call before and hasn't noticed: it must not disturb the one that follows it.
      await Promise.all(orphans.map(({ call }) => release(call.id)));
      for (const { call, snapshot, record, interrupted } of orphans) {
        if (isUndecided(call)) receive(call);
        else if (snapshot)
          open(call, prepareAssistant(snapshot, call.dynamicVariables), record, interrupted).resume();
        // Its version is nowhere to be found: it can't go on.
        else open(call, nobody(call), record, interrupted).giveUp();
      }
    },
    compare: async (askHeld) => {
      // What begins or ends while the database is asked is neither lost nor stray.
      const before = [...sessions];
      const held = await askHeld();
      for (const [callId, { fence, session }] of before) {
        if (held.get(callId) === fence || sessions.get(callId)?.session !== session) continue;
        release(callId).catch((err: unknown) => deps.log.error({ err, callId }, 'call was not let go of'));
      }
      const without = [...held].filter(([callId]) => !sessions.has(callId));
      const strays = without.filter(([callId, fence]) => missed.get(callId) === fence);
      missed = new Map(without);
      return strays.map(([callId]) => callId);
    },
    stop: (callIds) => {
      for (const callId of callIds) sessions.get(callId)?.session.stop();
    },
    releaseAll: async () => {
      closed = true;
      await Promise.all([...sessions.keys()].map((callId) => release(callId, TOOLS_TAKE_MS)));
    },
    size: () => sessions.size,
  };
}
