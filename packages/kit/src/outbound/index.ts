/**
 * Guarded requests to addresses that clients have chosen [webhooks.20], [trust.12]. The steps of a request, within one deadline in real
 * time that includes a redirect:
 *
 * - **resolve**: the URL is parsed by the WHATWG rules, which normalize every spelling of an address. A name is resolved to all of its
 *   addresses for each request; a literal needs no resolution.
 * - **check**: every address must be public unicast or inside a CIDR that the operator allows; one that isn't rejects the request. Plain
 *   http also needs such a CIDR, or `allowHttp`. A host that the operator allows by name passes with any address. Ports of the platform's
 *   internal interfaces are rejected on every address that is not public.
 * - **connect**: to one of the checked addresses by number, so that a later DNS answer changes nothing. An idle connection is reused only
 *   if its address is among them.
 * - **verify the peer**: the address of the connected socket is compared before a byte is sent; TLS verifies the URL's name.
 * - **send**: the request, once. A reused connection that was closed before a byte was sent is replaced; later it is an error, since the
 *   receiver may have read the request.
 * - **read**: 307 and 308 run through all steps once more, other redirects are rejected. The body is read up to its limit.
 *
 * The result is always a value, never an exception.
 */
export type { OutboundAllowance } from './allowance.ts';
export { checkAddress } from './check-address.ts';
export { checkSipDestination, checkSipHost } from './check-sip-host.ts';
export { checkUrlSyntax } from './check-url-syntax.ts';
export { createOutboundClient, type OutboundOptions } from './create-outbound-client.ts';
export { createHostGuard, type HostGuard } from './host-guard.ts';
export { type Cidr, isInside, networkOf, parseAddress, parseCidr } from './ip-address.ts';
export type { OutboundClient, OutboundRequest, OutboundResult } from './request.ts';
export { activeSecrets, newWebhookSecret, signWebhook } from './sign-webhook.ts';
