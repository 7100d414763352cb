import type { getDialStates as contract, dialRefusal, ResponseOf } from '@parley/contracts';
import type { z } from 'zod';
import type { Call } from '../sessions/call.ts';
import { toEnded } from '../sessions/call-messages.ts';

type DialRefusal = z.output<typeof dialRefusal>;

/** A request in the dialer's queue; `reason` is set once it was withdrawn or refused. */
type DialRecord = {
  state: 'waiting' | 'dialled' | 'withdrawn' | 'refused';
  reason: DialRefusal | null;
};

/** Requests and calls of attempts, of all workspaces, by call id in lower case. */
export type DialRecords = {
  /** Read before the calls: a request may become a call in between, never the reverse. */
  requests(callIds: readonly string[]): Promise<Map<string, DialRecord>>;
  calls(callIds: readonly string[]): Promise<Map<string, Call>>;
  /** Why calls ended, from their timelines. Read after the calls. */
  causes(callIds: readonly string[]): Promise<Map<string, string>>;
};

type DialState = ResponseOf<typeof contract>[number];

/** The states of attempts, one for each requested id. */
export async function getDialStates(
  { dialRecords }: { dialRecords: DialRecords },
  callIds: readonly string[],
): Promise<DialState[]> {
  const requests = await dialRecords.requests(callIds);
  const calls = await dialRecords.calls(callIds);
  const causes = await dialRecords.causes(callIds);
  return callIds.map((call_id) => {
    const id = call_id.toLowerCase();
    return { call_id, ...stateOf(requests.get(id), calls.get(id), causes.get(id)) };
  });
}

type State = DialState extends infer S ? (S extends DialState ? Omit<S, 'call_id'> : never) : never;

function stateOf(request: DialRecord | undefined, call: Call | undefined, cause: string | undefined): State {
  if (call) {
    const { state } = call;
    if (state.phase === 'ended') return { state: 'ended', ended: toEnded(call, state, cause) };
    return { state: 'live', answered: state.answeredAt !== null };
  }
  if (!request) return { state: 'unknown' };
  if (request.reason) return { state: 'refused', reason: request.reason };
  return { state: 'waiting' };
}
