import type { ProviderCause } from '../../call-control.ts';
import { type LocalCalls, legIdOf } from '../local-calls.ts';
import { takeTargets } from '../transfers/take-targets.ts';
import { continueRefer } from '../transfers/transfer-leg.ts';
import { cancelRinging } from './hang-up-stored.ts';
import type { LegState } from './leg-state.ts';
import { reopenLeg } from './reopen-leg.ts';

const WORKER_STOPPED: ProviderCause = { code: null, text: 'Its worker stopped while it rang' };

/**
 * Continues a call of another worker from its stored state:
 *
 *   party        target of a transfer       what happens
 *   inviting                                cancelled: the call has ended
 *   established                             re-INVITE: the call goes on; if the party's trunk was connecting a target, its report counts
 *   established  inviting, or not bridged   re-INVITE of the party; the target is cancelled or hung up, and the assistant goes on
 *   established  bridged                    re-INVITE of both, which are bridged again; if one is gone the other is hung up
 *
 * From the first message to the party on, the end of its leg ends the call and hangs up the targets. Rejects if the party cannot be
 * reached now. `moved` aborts when another process takes the call.
 */
export async function continueCall(
  calls: LocalCalls,
  callId: string,
  stored: LegState,
  moved: AbortSignal,
): Promise<void> {
  const { legs, transfers, legDeps } = calls;
  const { leg: state, bridged, isBridged, isReferred } = stored;
  const credentials = await calls.credentialsOf(callId);
  if (moved.aborted) return;
  if (state.phase === 'inviting') {
    await cancelRinging(calls, callId, state, credentials);
    calls.endedAtOnce(callId, { cause: 'lost', provider: WORKER_STOPPED });
    return;
  }
  const isTransferred = isReferred || (isBridged && bridged !== null);
  const leg = await reopenLeg(legDeps(callId), {
    ...{ callId, legId: legIdOf(callId) },
    ...{ state, credentials, isTransferred },
  });
  if (moved.aborted) return leg.body.discard();
  const targets = takeTargets(calls, callId, stored, leg);
  legs.set(callId, leg);
  if (targets) transfers.set(callId, targets);
  if (isTransferred) leg.body.stored.expectTransfer(true);
  const resumed = leg.resume();
  // The far end may report the result before it answers the re-INVITE.
  if (isReferred) continueRefer(leg);
  try {
    await resumed;
  } catch (err) {
    if (legs.get(callId) === leg) {
      legs.delete(callId);
      transfers.delete(callId);
    }
    throw err;
  }
  await targets?.follow();
}
