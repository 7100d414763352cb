import type { LegEvent, ProviderCause } from '../../call-control.ts';
import { hangUpTarget } from '../legs/hang-up-stored.ts';
import { TRANSACTION_MS } from '../legs/leg-body.ts';
import type { EstablishedState, LegState, OneLegState } from '../legs/leg-state.ts';
import { type ReopenedLeg, reopenLeg } from '../legs/reopen-leg.ts';
import type { SipLeg } from '../legs/sip-leg.ts';
import type { StateOfTarget } from '../legs/stored-leg.ts';
import { type LocalCalls, legIdOf } from '../local-calls.ts';
import { bridgeLegs } from './bridge-legs.ts';
import type { Transfer } from './transfer-leg.ts';

/** A transfer of another worker, or the bridge that it has led to. */
type TakenTransfer = Transfer & {
  /** The party's leg is continued: bridges it to the target again, or hangs the target up. */
  follow(): Promise<void>;
};

type Deps = Pick<LocalCalls, 'signalling' | 'log' | 'legDeps' | 'credentialsOf'>;

const TARGET_GONE: ProviderCause = {
  code: null,
  text: 'The target of the transfer could not be connected again',
};

/** The targets of transfers of a call of another worker, which stay stored with the party's leg. Undefined: there are none. */
export function takeTargets(
  calls: Deps,
  callId: string,
  { bridged, isBridged, left }: Pick<LegState, 'bridged' | 'isBridged' | 'left'>,
  party: SipLeg,
): TakenTransfer | undefined {
  const earlier = left.map((state) => takeTarget(calls, callId, { state, isBridged: false }, party));
  const latest = bridged && takeTarget(calls, callId, { state: bridged, isBridged }, party);
  const all = [...earlier, ...(latest ? [latest] : [])];
  if (all.length === 0) return undefined;
  return {
    target: () => latest?.target(),
    isBridged: () => latest?.isBridged() ?? false,
    stop: () => Promise.all(all.map((each) => each.stop())),
    release: () => {
      for (const each of all) each.release();
    },
    async follow() {
      await Promise.all(all.map((each) => each.follow()));
    },
  };
}

/**
 *   taken → connecting → bridged      it was bridged to the party, and is bridged again
 *     └─────────┴───────────┴─→ dropped    hung up: it was not bridged, either leg cannot be continued, or the call has ended
 */
function takeTarget(
  calls: Deps,
  callId: string,
  { state, isBridged }: { state: OneLegState; isBridged: boolean },
  party: SipLeg,
): TakenTransfer {
  let leg: ReopenedLeg | undefined;
  let reopening: Promise<void> = Promise.resolve();
  let dropped: Promise<boolean> | undefined;
  let isReleased = false;
  const isWanted = (): boolean => !isReleased && !dropped;
  const stateOfTarget: StateOfTarget = () => leg?.body.established() ?? state;
  const bridgedState = state.phase === 'established' && isBridged ? state : undefined;
  void party.body.stored.setTarget(stateOfTarget, isBridged);

  const hangUp = async (): Promise<boolean> => {
    await reopening.catch(() => {});
    if (!leg) return hangUpTarget(calls, callId, state);
    leg.hangup();
    return leg.body.gone();
  };

  const drop = (): Promise<boolean> => {
    dropped ??= hangUp().then((isGone) => {
      if (isGone) party.body.stored.forgetTarget(stateOfTarget);
      return isGone;
    });
    return dropped;
  };

  const endParty = (provider?: ProviderCause): void => {
    if (party.body.facts.isEnded) return;
    party.body.dialog()?.bye();
    party.body.end('transferred', provider, TRANSACTION_MS);
  };

  const reopen = async (established: EstablishedState): Promise<ReopenedLeg | undefined> => {
    const credentials = await calls.credentialsOf(callId, state);
    if (!isWanted()) return undefined;
    const own = {
      ...calls.legDeps(callId),
      emit: (event: LegEvent) => {
        if (event.type === 'ended') endParty(event.provider);
      },
      // The party's state contains the target's.
      saveState: () => party.body.stored.save(),
    };
    const ids = { callId, legId: legIdOf(callId) };
    const reopened = await reopenLeg(own, { ...ids, state: established, credentials });
    if (isWanted()) return reopened;
    reopened.body.discard();
    return undefined;
  };

  const connect = async (established: EstablishedState): Promise<void> => {
    const reopened = reopen(established);
    let resumed = Promise.resolve();
    reopening = reopened.then((opened) => {
      leg = opened;
      if (opened) resumed = opened.resume();
    });
    await reopening;
    await resumed.catch((err: unknown) => {
      leg = undefined;
      throw err;
    });
    if (!leg || !isWanted() || leg.body.facts.isEnded) return;
    if (!bridgeLegs(party, leg)) throw new Error('One of the legs has no audio');
    party.body.stored.expectTransfer(true);
    // The bridge continues even if its state cannot be stored.
    void party.body.stored.setTarget(stateOfTarget, true);
  };

  return {
    target: () => leg,
    isBridged: () => bridgedState !== undefined && isWanted(),
    stop: drop,
    release: () => {
      isReleased = true;
      leg?.body.release();
    },
    async follow() {
      if (!isWanted()) return;
      if (!bridgedState || party.body.facts.isEnded) return void drop();
      try {
        await connect(bridgedState);
      } catch (err) {
        if (!isWanted()) return;
        calls.log.warn({ err, callId }, 'the target of a transfer could not be connected again');
        endParty(TARGET_GONE);
        void drop();
      }
    },
  };
}
