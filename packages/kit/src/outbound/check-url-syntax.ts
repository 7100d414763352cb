import { isAllowedHost, type OutboundAllowance } from './allowance.ts';
import { checkAddress, isAllowedByOperator } from './check-address.ts';
import { checkHostName } from './host-name.ts';
import { type Cidr, parseCidr } from './ip-address.ts';
import { isLocalhost, localhostAddresses } from './localhost.ts';
import { parseTarget, type Target } from './parse-target.ts';

export type UrlRules = OutboundAllowance & {
  /** Allows plain http to every address, as for tools. */
  allowHttp: boolean;
};

const isHttpAllowed = ({ host, isLiteral }: Target, allowed: readonly Cidr[]): boolean => {
  const addresses = isLiteral ? [host] : isLocalhost(host) ? localhostAddresses(allowed) : [];
  return addresses.some((address) => isAllowedByOperator(address, allowed));
};

/**
 * The problem of a URL to call, as a predicate to the field's name ("must be …"), or undefined [webhooks.20]. It checks the text only; the
 * addresses of a name are checked at each connection.
 */
export function checkUrlSyntax(text: string, rules: UrlRules): string | undefined {
  const { allowHttp, allowCidrs, allowHosts } = rules;
  const scheme = allowHttp ? 'an https:// or http:// URL' : 'an https:// URL';
  // The URL parser accepts blanks, tabs and a missing `//`, which people read differently.
  if (!/^https?:\/\/[^/\\]/i.test(text)) return `must be ${scheme}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
  if (/[\s\u0000-\u001f\u007f]/.test(text)) return 'must not contain blanks or control characters';
  const target = parseTarget(text);
  if (typeof target === 'string') return target;
  if (isAllowedHost(target.host, allowHosts)) return undefined;
  const allowed = allowCidrs.map(parseCidr);
  if (!target.secure && !allowHttp && !isHttpAllowed(target, allowed)) return `must be ${scheme}`;
  if (!target.isLiteral) return checkHostName(target.host);
  const problem = checkAddress(target.host, allowed);
  return problem === undefined ? undefined : `must lead to a public address (this one is ${problem})`;
}
