import type { Call } from './call.ts';
import type { CallEndCause } from './judge-end.ts';
import type { Change } from './ports.ts';
import { type CallRules, transition } from './transition.ts';

/** No rule of the assistant applies to a call that no worker has held. */
const NO_RULES: CallRules = { maxDurationMs: Number.POSITIVE_INFINITY, voicemailDetection: false };

/** The end of a call that no worker and no carrier has held. */
export function endUntouched(call: Call, cause: CallEndCause, at: Date): Change {
  const facts = { cause, at, answeredAt: null, machine: false };
  return transition(call, { type: 'ended', legId: null, facts }, NO_RULES);
}
