import type { Log } from '@parley/kit/log';
import { providerCauseOf } from '../causes.ts';
import { createLegCore } from '../signalling/leg-core.ts';
import type { Signalling } from '../signalling/signalling.ts';
import { cancelLeg } from './cancel-leg.ts';
import { type Dialog, restoreSession } from './dialog.ts';
import { type LegBody, type LegDeps, openLegBody, TRANSACTION_MS } from './leg-body.ts';
import type { EstablishedState, LegState } from './leg-state.ts';
import type { SipLeg } from './sip-leg.ts';

const GONE = 481;

/**
 * Continues an answered leg of another worker: the far end is asked to send its audio here. If it doesn't know the leg any more, the
 * leg has ended. Rejects if the far end cannot be reached at present.
 */
export async function resumeLeg(
  deps: LegDeps,
  { callId, legId, state }: { callId: string; legId: string; state: EstablishedState },
): Promise<SipLeg> {
  const { hop, user, dialog: stored, isSecure, answeredAt } = state;
  const flow = await deps.signalling.openFlow(hop, callId);
  const own = { callId, legId, sipCallId: stored.callId, user, flow, isSecure };
  const body = await openLegBody(deps, { ...own, localAddress: flow.localAddress() });
  let dialog: Dialog;
  let status: number;
  try {
    dialog = body.establish(restoreSession(body.core, stored), undefined, new Date(answeredAt));
    status = await dialog.reinvite();
  } catch (err) {
    body.discard();
    throw err;
  }
  if (status === 200) body.facts.media();
  else {
    dialog.bye();
    const provider = providerCauseOf({
      status,
      text: 'The call could not be continued',
      reason: null,
      hasRung: true,
    });
    body.end(status === GONE ? 'remote' : 'lost', provider, TRANSACTION_MS);
  }
  return establishedLeg(body);
}

function establishedLeg(body: LegBody): SipLeg {
  return {
    body,
    answer: async () => {},
    reject: () => {},
    settled: async () => {},
    hangup() {
      if (body.facts.isEnded) return;
      body.dialog()?.bye();
      body.end('local', undefined, TRANSACTION_MS);
    },
  };
}

/** Ends the legs of a dead worker that no other continues. */
export async function hangUpStored(
  deps: { signalling: Signalling; log: Log },
  callId: string,
  { leg, bridged }: LegState,
): Promise<void> {
  for (const state of [leg, bridged]) {
    if (state?.phase === 'inviting') await cancelLeg(deps, callId, state);
    if (state?.phase !== 'established') continue;
    const flow = await deps.signalling.openFlow(state.hop, callId);
    const { core, receive, dispose } = createLegCore({ flow, user: state.user, credentials: () => null });
    const unregister = deps.signalling.router.register(state.dialog.callId, { callId, receive });
    restoreSession(core, state.dialog).bye();
    deps.signalling.disposeAfter(TRANSACTION_MS, () => {
      unregister();
      dispose();
      flow.close();
    });
  }
}
