import type { AssistantSnapshot } from '@parley/contracts';
import type { RequestedPause } from '../after-call/recordings/live/recording-pauses.store.ts';
import { type PreparedAssistant, prepareAssistant, TOO_LONG } from '../assistants/prepare-prompt.ts';
import type { Carrier } from '../carriers/carrier.ts';
import type { Carriers } from '../carriers/registry.ts';
import type { DueDial } from '../dialer/dialer.ts';
import type { Call } from './call.ts';
import type { CallSession, SessionDeps } from './call-session.ts';
import { NO_ASSISTANT } from './call-start.ts';
import type { BegunTool, Entry } from './ports.ts';
import { createCallSession } from './session.ts';
import type { StoppedCall } from './stop-ports.ts';
import type { ToolRunner } from './tools/run-tool.ts';

export type CallSessionsDeps = Omit<SessionDeps, 'carrier' | 'runTool'> & {
  carriers: Pick<Carriers, 'of'>;
  toolRunnerOf: (carrier: Carrier) => ToolRunner;
  /** A call ended here: its recording or analysis is due. */
  onEnded: () => void;
};

/** A call that this worker takes over, with its record. */
export type OrphanedCall = {
  call: Call;
  snapshot: AssistantSnapshot | null;
  record: Entry[];
  interrupted: BegunTool[];
  /** Its workers crash on it: the call is ended without any other work. */
  isPoison: boolean;
};

/** The sessions of this worker, by call. */
export type CallSessions = {
  dial(dials: readonly DueDial[]): void;
  takeOver(orphans: readonly OrphanedCall[]): Promise<void>;
  /** A call rings, and this worker holds it. */
  receive(call: Call): void;
  /**
   * Compares the sessions with the calls that this worker holds in the database, and releases those of other workers.
   * Returns strays: held calls that had no session at the previous comparison either, because the work after the commit
   * that assigned them failed or its acknowledgement was lost.
   */
  compare(askHeld: () => Promise<ReadonlyMap<string, number>>): Promise<string[]>;
  /** Ends calls by request; ignores calls without a session here. May be repeated. */
  stop(stopped: readonly StoppedCall[]): void;
  /** Pauses the recording of a call, or ends the pause. False: it has no session here. May be repeated. */
  pauseRecording(requested: RequestedPause): boolean;
  releaseAll(): Promise<void>;
  size(): number;
};

/** The time that running tools get to finish when the worker stops. Real time. */
const TOOLS_TIMEOUT_MS = 5_000;

export function createCallSessions(deps: CallSessionsDeps): CallSessions {
  const sessions = new Map<string, { fence: number; session: CallSession }>();
  /** Held calls without a session at the last comparison. */
  let missed = new Map<string, number>();
  let closed = false;

  const open = (
    call: Call,
    assistant: PreparedAssistant | null,
    record: Entry[],
    interrupted: readonly BegunTool[] = [],
  ): CallSession => {
    const carrier = deps.carriers.of(call);
    const session = createCallSession(
      { ...deps, carrier, runTool: deps.toolRunnerOf(carrier) },
      {
        call,
        assistant,
        record,
        interrupted,
        onOver: (outcome) => {
          if (sessions.get(call.id)?.session === session) sessions.delete(call.id);
          if (outcome === 'ended') deps.onEnded();
          else if (outcome === 'lost') deps.log.warn({ callId: call.id }, 'another worker holds the call');
          else deps.log.info({ callId: call.id }, 'the dial did not leave');
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

  const releaseInBackground = (callId: string): void => {
    release(callId).catch((err: unknown) => deps.log.error({ err, callId }, 'a call could not be released'));
  };

  const receive = (call: Call): void => {
    // Already open: it was retaken as a stray.
    if (!closed && !sessions.has(call.id)) open(call, null, []).answer();
  };

  return {
    receive,
    dial: (dials) => {
      for (const { call, assistant, departure } of dials) {
        const earlier = sessions.get(call.id);
        // Already open: it was retaken as a stray, and a dial that may have left is not repeated.
        if (earlier && earlier.fence >= call.fence) continue;
        // Its previous reservation was undone, and the session of that one does not know it yet.
        if (earlier) releaseInBackground(call.id);
        open(call, assistant, []).dial(departure);
      }
    },
    takeOver: async (orphans) => {
      // A session that lost its call and has not noticed must not disturb its successor.
      await Promise.all(orphans.map(({ call }) => release(call.id)));
      for (const { call, snapshot, record, interrupted, isPoison } of orphans) {
        // A call that is ended without any work gets no variables: filling them in may have been what its workers died of.
        const assistant = snapshot && prepareAssistant(snapshot, isPoison ? {} : call.dynamicVariables);
        if (isPoison) open(call, assistant, record, interrupted).endWithError('workers crash on the call');
        else if (call.state.phase === 'selecting_assistant' || isUndecided(call)) receive(call);
        else if (assistant?.isTooLong) open(call, assistant, record, interrupted).endWithError(TOO_LONG);
        else if (assistant) open(call, assistant, record, interrupted).resume();
        else open(call, null, record, interrupted).endWithError(NO_ASSISTANT);
      }
    },
    compare: async (askHeld) => {
      // A session that begins or ends during the query is neither lost nor stray.
      const before = [...sessions];
      const held = await askHeld();
      for (const [callId, { fence, session }] of before) {
        if (held.get(callId) === fence || sessions.get(callId)?.session !== session) continue;
        releaseInBackground(callId);
      }
      const without = [...held].filter(([callId]) => !sessions.has(callId));
      const strays = without.filter(([callId, fence]) => missed.get(callId) === fence);
      missed = new Map(without);
      return strays.map(([callId]) => callId);
    },
    stop: (stopped) => {
      for (const { id, cause } of stopped) sessions.get(id)?.session.stop(cause);
    },
    pauseRecording: ({ id, isPaused }) => {
      const held = sessions.get(id);
      held?.session.pauseRecording(isPaused);
      return held !== undefined;
    },
    releaseAll: async () => {
      closed = true;
      await Promise.all([...sessions.keys()].map((callId) => release(callId, TOOLS_TIMEOUT_MS)));
    },
    size: () => sessions.size,
  };
}

/** An inbound call that a worker of a version without `selecting_assistant` stored and handed over during a rollout. */
function isUndecided({ callType, agentVersion, state }: Call): boolean {
  return callType !== 'outbound' && state.phase === 'ringing' && agentVersion === 0;
}
