import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { CarrierNumbers } from '../ports.ts';
import type { TrunkRemovals } from './ports.ts';

export type RemoveTrunksDeps = {
  trunkRemovals: Pick<TrunkRemovals, 'claim' | 'done'>;
  carrierNumbers: Pick<CarrierNumbers, 'removeTrunk'>;
  clock: Clock;
  log: Log;
};

/** Takes down the trunks of deleted numbers; a carrier that is away is asked again later. True: there may be more. */
export async function removeTrunks({
  trunkRemovals,
  carrierNumbers,
  clock,
  log,
}: RemoveTrunksDeps): Promise<boolean> {
  const trunks = await trunkRemovals.claim(clock.now());
  for (const trunk of trunks) {
    try {
      await carrierNumbers.removeTrunk(trunk);
      await trunkRemovals.done(trunk);
    } catch (err) {
      log.warn({ err, phoneNumberId: trunk.numberId }, 'SIP trunk was not removed, trying again later');
    }
  }
  return trunks.length > 0;
}
