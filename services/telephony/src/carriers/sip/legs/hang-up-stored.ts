import { realSleep } from '@parley/kit/time';
import { awaitGone, type LocalCalls } from '../local-calls.ts';
import { createLegCore } from '../signalling/leg-core.ts';
import type { Credentials } from '../trunk.ts';
import { cancelLeg } from './cancel-leg.ts';
import { restoreSession } from './dialog-state.ts';
import type { EstablishedState, InvitingState, LegState, OneLegState } from './leg-state.ts';
import { sendBye } from './send-bye.ts';

type Calls = Pick<LocalCalls, 'signalling' | 'log' | 'credentialsOf'>;

const TRIES = 6;
const AGAIN_MS = 1_000;

/** Ends the legs of a call that no worker continues; waits for its targets for a limited time. Rejects if the party cannot be reached now. */
export async function hangUpCall(
  calls: Calls,
  callId: string,
  { leg, bridged, left }: LegState,
): Promise<void> {
  const targets = [...left, ...(bridged ? [bridged] : [])];
  const targetsGone = Promise.all(targets.map((target) => hangUpTarget(calls, callId, target)));
  const hangUpParty = async (): Promise<void> => {
    const credentials = await calls.credentialsOf(callId);
    if (leg.phase === 'inviting') await cancelRinging(calls, callId, leg, credentials);
    else await hangUpEstablished(calls, callId, leg, credentials);
  };
  await Promise.all([hangUpParty(), awaitGone(targetsGone)]);
}

/** Cancels the leg of a call of another worker, and waits for its far end for a limited time. Never rejects. */
export async function cancelRinging(
  calls: Calls,
  callId: string,
  leg: InvitingState,
  credentials: Credentials | null,
): Promise<void> {
  const cancelled = cancelLeg(calls, callId, leg, credentials).catch((err: unknown) =>
    calls.log.warn({ err, callId }, 'a ringing leg of another worker could not be cancelled'),
  );
  await awaitGone(cancelled);
}

/** Ends the leg to a target of another worker; retries if it cannot be connected. False: its far end cannot be reached. */
export async function hangUpTarget(calls: Calls, callId: string, target: OneLegState): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      await hangUpStored(calls, callId, target, await calls.credentialsOf(callId, target));
      return true;
    } catch (err) {
      if (tries < TRIES) await realSleep(AGAIN_MS);
      else {
        calls.log.warn({ err, callId }, 'the target of a transfer of another worker could not be hung up');
        return false;
      }
    }
  }
}

/** Ends a leg that no worker continues. Rejects if the far end cannot be reached now. */
async function hangUpStored(
  calls: Calls,
  callId: string,
  state: OneLegState,
  credentials: Credentials | null,
): Promise<void> {
  if (state.phase === 'established') return hangUpEstablished(calls, callId, state, credentials);
  if (!(await cancelLeg(calls, callId, state, credentials)))
    throw new Error('The far end did not respond to a CANCEL');
}

async function hangUpEstablished(
  { signalling }: Calls,
  callId: string,
  { hop, user, dialog }: EstablishedState,
  credentials: Credentials | null,
): Promise<void> {
  const flow = await signalling.openFlow(hop, callId);
  const { core, receive, dispose } = createLegCore({ flow, user, credentials: () => credentials });
  const unregister = signalling.router.register(dialog.callId, { callId, receive });
  try {
    await sendBye(restoreSession(core, dialog));
  } finally {
    unregister();
    dispose();
    flow.close();
  }
}
