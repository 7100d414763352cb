// Headers of requests to clients' endpoints that a tool can't set, in lower case. Who refuses them (assistants), who drops
// them (kit's outbound client) and who sends its own instead (telephony) all read them here.

/** What describes the connection, the framing or the peer is ours to say: never sent on for anybody. */
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

/** Of the signature (D8.1). */
export const SIGNATURE_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** Of the call, in a request of a GET tool (D4.6). */
export const TOOL_REQUEST_HEADERS = ['x-agent-id', 'x-call-id', 'x-tool-call-id'] as const;

/** Headers of the platform in a request of a tool, which a tool can't have of its own. */
export type PlatformHeaders = Partial<
  Record<(typeof SIGNATURE_HEADERS)[number] | (typeof TOOL_REQUEST_HEADERS)[number], string>
>;

/** Why a tool can't have a header of this name, whatever its case, in words that follow the name; undefined where it can. */
export function whyNoToolHeader(name: string): string | undefined {
  const is = (names: readonly string[]): boolean => names.includes(name.toLowerCase());
  if (is(CONNECTION_HEADERS)) return 'belongs to the connection, which is not for a tool to describe';
  if (is(SIGNATURE_HEADERS)) return 'is part of the signature of every request';
  if (is(TOOL_REQUEST_HEADERS)) return 'is set by the platform';
  return undefined;
}
