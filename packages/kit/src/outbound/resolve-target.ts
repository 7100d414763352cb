import type { Cidr } from './cidr.ts';
import { isAllowedByOperator, judgeAddress } from './judge-address.ts';
import { isLocalhost, localhostAddresses } from './localhost.ts';
import type { Target } from './parse-target.ts';
import type { Resolver } from './resolver.ts';

/** The addresses that may be connected to, or why none may. */
export type Resolution =
  | { addresses: readonly string[] }
  /** `insecure`: the addresses are fine, but not for plain http. */
  | { refused: string; insecure: boolean };

/**
 * Resolves and judges: if one address of a name may not be connected to, none may, since a name that has both public
 * and other addresses was made to get past a guard. Rejects when there is none at all. spec: D8.5.
 */
export async function resolveTarget(
  target: Target,
  resolver: Resolver,
  { allowCidrs, allowHttp }: { allowCidrs: readonly Cidr[]; allowHttp: boolean },
): Promise<Resolution> {
  const { host, isLiteral, secure } = target;
  const find = async (): Promise<readonly string[]> => {
    if (isLiteral) return [host];
    if (isLocalhost(host)) return localhostAddresses(allowCidrs);
    return resolver(host);
  };
  const addresses = [...new Set(await find())];
  if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
  for (const address of addresses) {
    const problem = judgeAddress(address, allowCidrs);
    if (problem === undefined) continue;
    return { refused: `The address ${address} of ${host} is not public (${problem})`, insecure: false };
  }
  const httpIsFine = secure || allowHttp || addresses.every((one) => isAllowedByOperator(one, allowCidrs));
  if (!httpIsFine) return { refused: 'Plain http is not allowed to this address', insecure: true };
  return { addresses };
}
