/** The operator's exceptions for addresses that are not public; each entry also allows plain http. */
export type OutboundAllowance = {
  /** Addresses (`OUTBOUND_ALLOW_CIDRS`). */
  allowCidrs: readonly string[];
  /** Names in lower case with any address (`OUTBOUND_ALLOW_HOSTS`); none by default. */
  allowHosts?: readonly string[];
};

/** Whether the operator allows this host, with or without a trailing dot. */
export function isAllowedHost(host: string, allowHosts: readonly string[] = []): boolean {
  return allowHosts.includes(host.toLowerCase().replace(/\.$/, ''));
}
