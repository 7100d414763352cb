import type { HostGuard } from '@parley/kit/outbound';
import type { LookUpSrv } from '../signalling/locate-servers.ts';
import { createResolveTrunk } from '../signalling/resolve-trunk.ts';
import { createSteadyLookUp } from '../signalling/steady-look-up.ts';
import type { Trunk } from '../trunk.ts';

/** All addresses that a trunk may call from; none if they are not known. */
export type AddressesOf = (trunk: Trunk) => Promise<readonly string[]>;

type Deps = { guard: HostGuard; lookUpSrv: LookUpSrv; nowMs?: () => number };

/** Far beyond what carriers have, so that chance never leaves a server out; bounds the queries for a hostile name. */
const MAX_SERVERS = 200;

/**
 * The addresses of all servers of a trunk, not only of those that are dialed. They survive failing name servers: a trunk without
 * addresses would leave its calls to a later claim to its number [sip.12].
 */
export function createTrunkAddresses({ guard, lookUpSrv, nowMs }: Deps): AddressesOf {
  const lookUp = createSteadyLookUp(
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
