import { createJobPool, type JobPool } from '@parley/kit/concurrency';
import type { Log } from '@parley/kit/log';
import type { SecretBox } from '@parley/kit/secrets';
import type { Clock } from '@parley/kit/time';
import type { PingTrunk } from '../carriers/sip/signalling/ping-trunk.ts';
import type { ResolveTrunk } from '../carriers/sip/signalling/resolve-trunk.ts';
import { type Trunk, trunkOfConnection } from '../carriers/sip/trunk.ts';
import type { Transact } from '../clients/ports.ts';
import { readConnection } from '../numbers/open-connection.ts';
import { addressesPlace } from './termination.ts';
import type { DueTermination, Registration, Terminations } from './terminations.store.ts';
import { closeCircuits, openCircuits } from './trunk-circuits.store.ts';
import { afterCheck, type Check, checkAgainMs, type TrunkState } from './trunk-health.ts';

export type CheckTrunksDeps = {
  transact: Transact;
  terminations: Pick<Terminations, 'claim' | 'record'>;
  secrets: Pick<SecretBox, 'open' | 'seal'>;
  resolveTrunk: ResolveTrunk;
  ping: PingTrunk;
  clock: Clock;
  /** Delay until a campaign's dial probes the circuit of a number whose trunk is down; stack time. */
  firstPauseMs: number;
  /** The addresses of a trunk have changed. */
  changed(): void;
  log: Log;
};

/** A check mostly waits: up to five seconds for a trunk that does not respond, longer for name servers that do not. */
const CHECKS_AT_ONCE = 32;
const CHECKS_OF_A_WORKSPACE = 8;
/** Far more than carriers have. */
const MAX_ADDRESSES = 32;

/** Checks the trunks that are due: resolves their hosts, and sends OPTIONS [sip.35] [sip.36]. A slow one delays no others. */
export function createTrunkChecks(deps: CheckTrunksDeps, onSlotFree: () => void): JobPool {
  return createJobPool<DueTermination>({
    concurrency: CHECKS_AT_ONCE,
    claim: (limit, running) => deps.terminations.claim({ limit, share: CHECKS_OF_A_WORKSPACE, running }),
    work: (due) =>
      checkOne(deps, due).catch((err: unknown) =>
        deps.log.warn({ err, phoneNumberId: due.numberId }, 'the trunk of a number could not be checked'),
      ),
    onSlotFree,
  });
}

async function checkOne(deps: CheckTrunksDeps, due: DueTermination): Promise<void> {
  const { terminations, clock, transact } = deps;
  const trunk = trunkOfConnection(readConnection(deps.secrets, due.numberId, due.sealedSecrets));
  const found = await resolve(deps, trunk);
  const check: Check =
    'addresses' in found
      ? await pingSafely(deps, trunk)
      : { isReachable: false, status: null, text: found.problem };
  const now = clock.now();
  const state = afterCheck(due, check, now);
  const registration: Registration = 'addresses' in found ? 'registered' : 'failed';
  const sealedAddresses = 'addresses' in found ? sealIfNew(deps, due, found.addresses) : null;
  await transact(async (tx) => {
    await terminations.record(tx, {
      ...state,
      id: due.id,
      workspaceId: due.workspaceId,
      registration,
      sealedAddresses,
      checkedAt: now,
      againMs: checkAgainMs(state),
    });
    await updateCircuits(deps, tx, due, state, now);
  });
  if (sealedAddresses !== null) deps.changed();
}

/** With an error text that reveals no addresses and networks to the customer [numbers.6] [trust.13]. */
async function pingSafely({ ping, log }: CheckTrunksDeps, trunk: Trunk): Promise<Check> {
  const answer = await ping(trunk);
  if (answer.status !== null) return { ...answer, text: answer.text.replace(/[^ -~]/g, '') };
  log.debug({ problem: answer.text }, 'a SIP trunk did not respond');
  const isLate = /in time/.test(answer.text);
  return { ...answer, text: isLate ? 'The trunk did not respond in time' : 'The trunk could not be reached' };
}

/** Null if the addresses are unchanged, so that the edges are not updated again. */
function sealIfNew(
  { secrets }: CheckTrunksDeps,
  { id, sealedAddresses }: DueTermination,
  addresses: readonly string[],
): string | null {
  const json = JSON.stringify(addresses);
  const before = sealedAddresses && secrets.open(sealedAddresses, addressesPlace(id));
  return before === json ? null : secrets.seal(json, addressesPlace(id));
}

async function updateCircuits(
  { firstPauseMs, log }: CheckTrunksDeps,
  tx: Parameters<Parameters<Transact>[0]>[0],
  { id, health: before, numberId }: DueTermination,
  { health, reason }: TrunkState,
  now: Date,
): Promise<void> {
  if (health === before) return;
  if (health === 'down') {
    const probeAt = new Date(now.getTime() + firstPauseMs);
    const circuits = await openCircuits(tx, id, { at: now, probeAt });
    log.warn(
      { phoneNumberId: numberId, reason, circuits },
      'a SIP trunk is down: campaigns of its numbers wait',
    );
  } else if (health === 'up') {
    // Also for a new termination: its numbers may have had a trunk that was down.
    const circuits = await closeCircuits(tx, id);
    if (before === 'down') log.info({ phoneNumberId: numberId, circuits }, 'a SIP trunk is back');
  }
}

async function resolve(
  { resolveTrunk }: CheckTrunksDeps,
  trunk: Trunk,
): Promise<{ addresses: readonly string[] } | { problem: string }> {
  try {
    const resolved = await resolveTrunk(trunk);
    return 'refused' in resolved
      ? { problem: 'The host of the trunk does not resolve to a public address' }
      : {
          addresses: [...new Set(resolved.targets.map(({ address }) => address))]
            .sort()
            .slice(0, MAX_ADDRESSES),
        };
  } catch {
    return { problem: 'The host of the trunk could not be resolved' };
  }
}
