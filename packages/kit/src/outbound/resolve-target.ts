import { isAllowedHost } from './allowance.ts';
import { checkAddress, isAllowedByOperator } from './check-address.ts';
import { codeOf } from './describe-error.ts';
import type { InternalPorts } from './internal-ports.ts';
import type { Cidr } from './ip-address.ts';
import { isLocalhost, localhostAddresses } from './localhost.ts';
import type { Target } from './parse-target.ts';
import type { Resolver } from './resolver.ts';

/** The addresses to connect to, or the reason of a rejection. */
export type Resolution =
  | { addresses: readonly string[] }
  /**
   * `refused` is shown to the tenant and contains no addresses of our network [trust.13]; `reason` is for the operator's log. `insecure`:
   * the addresses are allowed, but not over plain http.
   */
  | { refused: string; reason: string; insecure: boolean };

/** Far more than any receiver has; each costs checks. */
const MAX_ADDRESSES = 32;

/**
 * Resolves a host and checks its addresses [webhooks.20]. One forbidden address rejects the name, since a name with both public and
 * private addresses is an attempt to bypass the guard. Addresses of a name that the operator allows are not checked; internal ports are
 * always rejected. A name without an address is rejected like one with a private address, so that a tenant can't probe names of our
 * network [trust.13]. Throws if the name servers fail.
 */
export async function resolveTarget(
  target: Target,
  resolver: Resolver,
  rules: {
    allowCidrs: readonly Cidr[];
    allowHosts: readonly string[];
    internalPorts: InternalPorts;
    allowHttp: boolean;
  },
): Promise<Resolution> {
  const { host, isLiteral, secure, port } = target;
  const { allowCidrs, allowHosts, allowHttp } = rules;
  const find = async (): Promise<readonly string[]> => {
    if (isLiteral) return [host];
    if (isLocalhost(host)) return localhostAddresses(allowCidrs);
    return resolver(host);
  };
  const addresses = [...new Set(await find().catch(noneIfMissing))];
  const refused = `${host} does not resolve to a public address`;
  if (addresses.length === 0) return { refused, reason: `${host} has no address`, insecure: false };
  if (addresses.length > MAX_ADDRESSES) {
    const reason = `${host} has more than ${MAX_ADDRESSES} addresses`;
    return { refused, reason, insecure: false };
  }
  for (const address of addresses) {
    if (!(await rules.internalPorts.includes(address, port))) continue;
    const reason = `port ${port} of ${address} (${host}) is internal to the platform`;
    return { refused, reason, insecure: false };
  }
  if (isAllowedHost(host, allowHosts)) return { addresses };
  for (const address of addresses) {
    const problem = checkAddress(address, allowCidrs);
    if (problem === undefined) continue;
    return { refused, reason: `${address} of ${host} is not public (${problem})`, insecure: false };
  }
  const isHttpAllowed = secure || allowHttp || addresses.every((one) => isAllowedByOperator(one, allowCidrs));
  if (!isHttpAllowed) {
    const reason = 'Plain http is not allowed to this address';
    return { refused: reason, reason, insecure: true };
  }
  return { addresses };
}

function noneIfMissing(err: unknown): readonly string[] {
  if (codeOf(err) === 'ENOTFOUND' || codeOf(err) === 'ENODATA') return [];
  throw err;
}
