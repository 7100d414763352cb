import type { NumberConnection, TransferRequest } from '../../call-control.ts';
import { dialLeg } from '../legs/outbound-leg.ts';
import { type LocalCalls, legIdOf } from '../local-calls.ts';
import type { FindRoute } from '../signalling/find-route.ts';
import { trunkOfConnection, trunkOfDestination } from '../trunk.ts';
import { type Transfer, transferLeg } from './transfer-leg.ts';

type Deps = {
  calls: LocalCalls;
  findRoute: FindRoute;
  findOwnNumber(callId: string): Promise<{ number: string; connection: NumberConnection }>;
};

/** Transfers an answered call of this process, over the trunk of its number or to the server of a `sip:` destination. */
export function createTransferCall({ calls, findRoute, findOwnNumber }: Deps) {
  return async (request: TransferRequest): Promise<void> => {
    const { reference: callId, transferId } = request;
    const leg = calls.legs.get(callId);
    if (!leg?.body.dialog()) throw new Error('The leg is not answered, or not here');
    const { number, connection } = await findOwnNumber(callId);
    if (leg.body.facts.isEnded || leg.body.isClosed()) throw new Error('The leg has ended, or has moved');
    // A transfer that the session has given up.
    const before = calls.transfers.get(callId)?.stop();
    const trunk = trunkOfConnection(connection);
    const transfer = transferLeg(
      {
        targetUri: async (destination) =>
          destination.startsWith('sip') ? destination : `sip:${destination}@${trunk.host}`,
        dial: (destination, ringTimeoutMs, { emit, saveState, mayLeave }) =>
          dialLeg(
            {
              ...calls.legDeps(callId),
              findRoute,
              emit,
              outlivesEnd: true,
              saveState: ({ leg: state }) => saveState(state),
            },
            {
              callId,
              legId: legIdOf(callId),
              sipCallId: `${callId}-${transferId}`,
              trunk: trunkOfDestination(destination) ?? trunk,
              from: number,
              to: destination,
              ringTimeoutMs,
              mayLeave,
            },
          ),
        onFailure: (err) => calls.log.warn({ err, callId }, 'a transfer failed'),
      },
      leg,
      request,
    );
    const stop: Transfer['stop'] = (isTransferred) => {
      const targetGone = transfer.stop(isTransferred);
      return before ? Promise.all([before, targetGone]) : targetGone;
    };
    calls.transfers.set(callId, { ...transfer, stop });
  };
}
