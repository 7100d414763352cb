import type { HostGuard } from '@parley/kit/outbound';
import type { Trunk } from '../trunk.ts';
import { createLookUpSrv, type LookUpSrv, locateServers } from './locate-servers.ts';

/** The address of a server of a trunk. */
export type TrunkTarget = { address: string; port: number };

/** Best first. `refused`: why no server has an allowed address, for the customer. Rejects if the name servers fail. */
export type ResolveTrunk = (
  trunk: Pick<Trunk, 'host' | 'port' | 'transport'>,
) => Promise<{ targets: readonly TrunkTarget[] } | { refused: string }>;

type Deps = {
  guard: HostGuard;
  lookUpSrv?: LookUpSrv;
  random?: () => number;
  maxServers?: number;
  maxTargets?: number;
};

/** Finds the servers of a trunk and checks each of their addresses [numbers.12]. A server without an allowed address is omitted. */
export function createResolveTrunk({
  guard,
  lookUpSrv = createLookUpSrv(),
  random = Math.random,
  maxServers = 8,
  maxTargets = 16,
}: Deps): ResolveTrunk {
  return async (trunk) => {
    const servers = (await locateServers(trunk, lookUpSrv, random)).slice(0, maxServers);
    const results = await Promise.allSettled(servers.map(({ host, port }) => guard(host, port)));
    const targets: TrunkTarget[] = [];
    let refused: string | undefined;
    let failure: unknown;
    for (const [n, result] of results.entries()) {
      const port = servers[n]?.port ?? 0;
      if (result.status === 'rejected') failure ??= result.reason;
      else if ('refused' in result.value) refused ??= result.value.refused;
      else targets.push(...result.value.addresses.map((address) => ({ address, port })));
    }
    if (targets.length > 0) return { targets: targets.slice(0, maxTargets) };
    if (refused !== undefined) return { refused };
    throw failure;
  };
}
