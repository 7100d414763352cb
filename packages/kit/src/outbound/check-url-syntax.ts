import { type Cidr, parseCidr } from './cidr.ts';
import { isAllowedByOperator, judgeAddress } from './judge-address.ts';
import { isLocalhost, localhostAddresses } from './localhost.ts';
import { parseTarget, type Target } from './parse-target.ts';

export type UrlRules = {
  /** Plain http to anyone, as tools have. */
  allowHttp: boolean;
  allowCidrs: readonly string[];
};

const isHttpAllowed = ({ host, isLiteral }: Target, allowed: readonly Cidr[]): boolean => {
  const addresses = isLiteral ? [host] : isLocalhost(host) ? localhostAddresses(allowed) : [];
  return addresses.some((address) => isAllowedByOperator(address, allowed));
};

/**
 * What is wrong with a URL that a client wants us to call, to be read behind its field's name ("must be …"); undefined
 * when nothing is. Decides from the text alone: what a name resolves to is judged at each connection. spec: D2, D4, D8.5.
 */
export function checkUrlSyntax(text: string, { allowHttp, allowCidrs }: UrlRules): string | undefined {
  const scheme = allowHttp ? 'an https:// or http:// URL' : 'an https:// URL';
  // The URL parser forgives what people would read differently than it does: blanks, tabs, a missing `//`.
  if (!/^https?:\/\/[^/\\]/i.test(text)) return `must be ${scheme}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\s\u0000-\u001f\u007f]/.test(text)) return 'must not contain blanks or control characters';
  const target = parseTarget(text);
  if (typeof target === 'string') return target;
  const allowed = allowCidrs.map(parseCidr);
  if (!target.secure && !allowHttp && !isHttpAllowed(target, allowed)) return `must be ${scheme}`;
  const problem = target.isLiteral ? judgeAddress(target.host, allowed) : undefined;
  return problem === undefined ? undefined : `must lead to a public address (this one is ${problem})`;
}
