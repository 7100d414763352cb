import type { HostGuard } from '@parley/kit/outbound';
import { createCachedLookUp } from '../signalling/cached-look-up.ts';
import type { LookUpSrv } from '../signalling/locate-servers.ts';
import { createResolveTrunk } from '../signalling/resolve-trunk.ts';
import type { Trunk } from '../trunk.ts';

/** All addresses that a trunk may call from; none if they are not known. */
export type AddressesOf = (trunk: Trunk) => Promise<readonly string[]>;

type Deps = { guard: HostGuard; lookUpSrv: LookUpSrv; nowMs?: () => number };

/** Bounds the queries for a hostile name; far more servers than carriers have, so that none is omitted. */
const MAX_SERVERS = 200;

/**
 * The addresses of all servers of a trunk, not only of those that are dialed. They stay known while name servers fail: otherwise a later
 * claim to the number would get the calls of the trunk [sip.12].
 */
export function createTrunkAddresses({ guard, lookUpSrv, nowMs }: Deps): AddressesOf {
  const lookUp = createCachedLookUp(
    (key) => {
      const [host = '', port = ''] = key.split(' ');
      return guard(host, Number(port));
    },
    { nowMs },
  );
  const resolveTrunk = createResolveTrunk({
    guard: async (host, port) => {
      const found = await lookUp(`${host} ${port}`);
      if (found === null) throw new Error(`${host} could not be resolved`);
      return found;
    },
    lookUpSrv,
    maxServers: MAX_SERVERS,
    maxTargets: Number.POSITIVE_INFINITY,
  });
  return async (trunk) => {
    try {
      const resolved = await resolveTrunk(trunk);
      return 'refused' in resolved ? [] : resolved.targets.map(({ address }) => address);
    } catch {
      return [];
    }
  };
}
