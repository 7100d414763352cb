import type { Log } from '@parley/kit/log';
import type { SecretBox } from '@parley/kit/secrets';
import type { Clock } from '@parley/kit/time';
import type { CarrierNumbers } from '../clients/ports.ts';
import { terminationOf } from '../trunks/termination.ts';
import type { NumberStore } from './numbers.store.ts';
import { secretsPlace, trunkOf } from './trunk-of.ts';
import type { TrunkRemovals } from './trunk-removals.store.ts';

const BATCH = 1_000;

export type FillInTrunksDeps = { numbers: NumberStore; secrets: Pick<SecretBox, 'open'>; log: Log };

/**
 * Records the trunks of numbers that were connected before trunks were recorded [numbers.4]. If a trunk can't be determined, or
 * another workspace has the number on it, it stays unknown, and no other workspace can connect the number.
 */
export async function fillInTrunks({ numbers, secrets, log }: FillInTrunksDeps): Promise<void> {
  let count = 0;
  for (const { number, sealed } of await numbers.withoutTrunk(BATCH)) {
    try {
      const opened: unknown = JSON.parse(secrets.open(sealed ?? '', secretsPlace(number.id)));
      if (await numbers.setTrunk(number.id, trunkOf(number.provider, number.workspaceId, opened))) count += 1;
    } catch (err) {
      log.warn({ err, phoneNumberId: number.id }, 'trunk of a number could not be determined');
    }
  }
  if (count > 0) log.info({ count }, 'recorded trunks of numbers');
}

/**
 * The same for terminations [sip.35], also for those that an earlier version shared between workspaces: their health is unknown until the
 * next check, and the old addresses stay published meanwhile.
 */
export async function fillInTerminations({ numbers, secrets, log }: FillInTrunksDeps): Promise<void> {
  let count = 0;
  for (let after: string | null = null; ; ) {
    const rows = await numbers.withTrunks(after, BATCH);
    for (const { id, workspaceId, secrets: sealed, termination: before } of rows) {
      try {
        const opened: unknown = JSON.parse(secrets.open(sealed ?? '', secretsPlace(id)));
        const termination = terminationOf(workspaceId, opened);
        if (termination === before || termination === null) continue;
        await numbers.setTermination({ id, workspaceId }, before, termination);
        count += 1;
      } catch (err) {
        log.warn({ err, phoneNumberId: id }, 'termination of a number could not be determined');
      }
    }
    const last = rows.at(-1);
    if (rows.length < BATCH || !last) break;
    after = last.id;
  }
  if (count > 0) log.info({ count }, 'recorded terminations of numbers');
}

export type RemoveTrunksDeps = {
  trunkRemovals: Pick<TrunkRemovals, 'claim' | 'done'>;
  carrierNumbers: Pick<CarrierNumbers, 'removeTrunk'>;
  clock: Clock;
  log: Log;
};

/** Removes the trunks of deleted numbers; failed removals are retried later. True: there may be more. */
export async function removeTrunks(deps: RemoveTrunksDeps): Promise<boolean> {
  const { trunkRemovals, carrierNumbers, clock, log } = deps;
  const trunks = await trunkRemovals.claim(clock.now());
  for (const trunk of trunks) {
    try {
      await carrierNumbers.removeTrunk(trunk);
      await trunkRemovals.done(trunk);
    } catch (err) {
      log.warn({ err, phoneNumberId: trunk.numberId }, 'SIP trunk was not removed, will be retried');
    }
  }
  return trunks.length > 0;
}
