import { realSleep } from '@parley/kit/time';
import type { LegEvent, ProviderCause } from '../../call-control.ts';
import { type CallsHere, roomOf } from '../calls-here.ts';
import { continueRefer, resumeBridge } from '../transfers/transfer-leg.ts';
import type { Credentials } from '../trunk.ts';
import { cancelLeg } from './cancel-leg.ts';
import { TRANSACTION_MS } from './leg-body.ts';
import type { LegState, OneLegState } from './leg-state.ts';
import { hangUpStored, resumeLeg } from './resume-leg.ts';
import type { SipLeg } from './sip-leg.ts';

const WORKER_STOPPED: ProviderCause = { code: null, text: 'Its worker stopped while it rang' };
const TARGET_GONE: ProviderCause = {
  code: null,
  text: 'The target of the transfer could not be connected again',
};
const HANG_UP_TRIES = 6;
const HANG_UP_AGAIN_MS = 1_000;

/**
 * Continues what is stored of a call of another worker:
 *
 *   party        target of a transfer       what happens
 *   inviting                                cancelled: the call has ended
 *   established                             re-INVITE: the call goes on; if the party's trunk was connecting a target, its report counts
 *   established  inviting, or not bridged   re-INVITE of the party; the target is cancelled or hung up, and the assistant goes on
 *   established  bridged                    re-INVITE of both, which are bridged again; if one is gone the other is hung up
 *
 * Rejects if the party cannot be reached at present. `moved` aborts when the session leaves this process: another one continues then.
 */
export async function continueCall(
  here: CallsHere,
  callId: string,
  stored: LegState,
  moved: AbortSignal,
): Promise<void> {
  const { legs, legDeps } = here;
  const { leg: state, bridged: target, isBridged, isReferred } = stored;
  const targetState = (): OneLegState | null => target;
  const credentials = await here.credentialsOf(callId);
  if (moved.aborted) return;
  if (state.phase === 'inviting') {
    await cancelLeg(here, callId, state, credentials);
    here.endedAtOnce(callId, { cause: 'lost', provider: WORKER_STOPPED });
    return;
  }
  const leg = await resumeLeg(legDeps(callId), {
    callId,
    legId: roomOf(callId),
    state,
    credentials,
    target: target ? { state: targetState, isBridged } : undefined,
    isReferred,
    moved,
  });
  if (moved.aborted) return;
  legs.set(callId, leg);
  if (isReferred) continueRefer(leg);
  if (!target) return;
  if (target.phase === 'established' && isBridged && !leg.body.facts.isEnded)
    await continueBridge(here, callId, leg, target, moved);
  else dropTarget(here, callId, target, () => leg.body.forgetTarget(targetState));
}

/** Ends the legs of a call that no worker continues. Rejects if a far end cannot be reached at present. */
export async function hangUpCall(here: CallsHere, callId: string, { leg, bridged }: LegState): Promise<void> {
  const hangUp = async (state: OneLegState, credentials: Promise<Credentials | null>): Promise<void> =>
    hangUpStored(here, callId, state, await credentials);
  await Promise.all([
    hangUp(leg, here.credentialsOf(callId)),
    bridged && hangUp(bridged, here.credentialsOf(callId, bridged)),
  ]);
}

async function continueBridge(
  here: CallsHere,
  callId: string,
  party: SipLeg,
  state: Extract<OneLegState, { phase: 'established' }>,
  moved: AbortSignal,
): Promise<void> {
  const endParty = (provider?: ProviderCause): void => {
    if (party.body.facts.isEnded) return;
    party.body.dialog()?.bye();
    party.body.end('transferred', provider, TRANSACTION_MS);
  };
  const own = {
    ...here.legDeps(callId),
    emit: (event: LegEvent) => {
      if (event.type === 'ended') endParty(event.provider);
    },
    // The party's state contains the target's.
    saveState: () => party.body.save(),
  };
  // The session also leaves when the party has hung up: the target is then hung up here.
  const left = new AbortController();
  const onMoved = (): void => {
    if (!party.body.facts.isEnded) left.abort();
  };
  moved.addEventListener('abort', onMoved, { once: true });
  try {
    const credentials = await here.credentialsOf(callId, state);
    if (left.signal.aborted) return;
    const options = { callId, legId: roomOf(callId), state, credentials, moved: left.signal };
    const target = await resumeLeg(own, options);
    if (left.signal.aborted) return;
    if (party.body.facts.isEnded) return target.hangup();
    here.transfers.set(callId, {
      target: () => target,
      isBridged: () => true,
      stop: () => {
        target.hangup();
        return target.body.gone();
      },
      release: target.body.release,
    });
    if (!resumeBridge(party, target)) {
      target.hangup();
      endParty(TARGET_GONE);
    }
  } catch (err) {
    if (left.signal.aborted) return;
    here.log.warn({ err, callId }, 'the target of a transfer could not be connected again');
    endParty(TARGET_GONE);
    dropTarget(here, callId, state, () => {});
  } finally {
    moved.removeEventListener('abort', onMoved);
  }
}

/** Ends the leg to a target, in the background: its connection may be lost for a moment. */
function dropTarget(here: CallsHere, callId: string, target: OneLegState, onDropped: () => void): void {
  const drop = async (): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      try {
        await hangUpStored(here, callId, target, await here.credentialsOf(callId, target));
        return onDropped();
      } catch (err) {
        if (tries === HANG_UP_TRIES) throw err;
        await realSleep(HANG_UP_AGAIN_MS);
      }
    }
  };
  drop().catch((err: unknown) =>
    here.log.warn({ err, callId }, 'the target of a transfer could not be hung up after its worker had died'),
  );
}
