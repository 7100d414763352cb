/**
 * The guarded way out: everything that leaves for an address which a client has chosen goes through here.
 *
 * The guard, in the order of a request (one deadline of real time stands over all of it, redirect included):
 *
 * - **resolve**: the URL is read by the WHATWG rules, which bring every spelling of an address into one. A name is
 *   resolved here, to all of its addresses, anew for each request; a literal is its own answer.
 * - **judge**: each address has to be public unicast, or inside a CIDR that the operator allows. One that isn't
 *   refuses the request, whatever the others are. Plain http needs the operator's CIDR too, or the caller's leave.
 * - **connect**: to one of the addresses that were judged, by number, so that a name which answers otherwise a moment
 *   later changes nothing. A kept connection is taken only if its address is among them.
 * - **verify the peer**: the connected socket says whom it reached, before a byte is sent; TLS proves the URL's name.
 * - **send**: the request, once. A connection that had been kept is replaced if it is gone before a byte of it left; one that
 *   closes after that is an error, since its peer may have read it.
 * - **read**: the head decides. A 307 or 308 leads through all of this once more, any other redirect is refused; the
 *   body is read up to its cap and not beyond, and where it is only recorded it decides nothing.
 *
 * Whatever happens, the result is a value. spec: Delivery rules 1 and 5, D4.6, D6.11, D8.5, D8.6.
 */
export { checkUrlSyntax, type UrlRules } from './check-url-syntax.ts';
export { parseCidr } from './cidr.ts';
export { createOutboundClient, type OutboundOptions } from './create-outbound-client.ts';
export { judgeAddress } from './judge-address.ts';
export type { OutboundClient, OutboundFailure, OutboundRequest, OutboundResult } from './request.ts';
export type { Resolver } from './resolver.ts';
export { newWebhookSecret, signWebhook } from './sign-webhook.ts';
