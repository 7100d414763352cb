// Headers of requests to clients' endpoints that a tool cannot set, in lower case. Shared by assistants (rejects them), kit's
// outbound client (drops them) and telephony (sends its own).

/** Connection, framing and routing are set by the HTTP client. */
export const CONNECTION_HEADERS = [
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const;

/** Headers of the signature [webhooks.7]. */
export const SIGNATURE_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** Headers with ids of the call, in requests of GET tools [tools.18], and the mark of a test [dashboard.12]. */
export const TOOL_REQUEST_HEADERS = ['x-agent-id', 'x-call-id', 'x-test-call', 'x-tool-call-id'] as const;

/** Headers with this prefix never leave the platform [trust.12]. */
export const INTERNAL_HEADER_PREFIX = 'x-parley-';

/** The client's address, from the gateway, on routes without a key, whose requests carry no internal token. For the audit log. */
export const CLIENT_ADDRESS_HEADER = `${INTERNAL_HEADER_PREFIX}address`;

/** The `access_token` of a web call, on endpoints with `callToken`. */
export const CALL_TOKEN_HEADER = 'x-access-token';

/** Headers that the platform sets in requests of tools. */
export type PlatformHeaders = Partial<
  Record<(typeof SIGNATURE_HEADERS)[number] | (typeof TOOL_REQUEST_HEADERS)[number], string>
>;

/** Why a tool cannot set this header (case-insensitive), as the predicate of a sentence; undefined if it can. */
export function whyNoToolHeader(name: string): string | undefined {
  const is = (names: readonly string[]): boolean => names.includes(name.toLowerCase());
  if (is(CONNECTION_HEADERS)) return 'is a connection header and cannot be set by a tool';
  if (is(SIGNATURE_HEADERS)) return 'is part of the signature of every request';
  if (is(TOOL_REQUEST_HEADERS)) return 'is set by the platform';
  if (name.toLowerCase().startsWith(INTERNAL_HEADER_PREFIX)) return 'is reserved for the platform';
  return undefined;
}
