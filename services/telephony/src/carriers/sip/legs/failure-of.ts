import type { IncomingResponse } from 'sip.js/lib/core/index.js';
import type { EndCause, ProviderCause } from '../../call-control.ts';
import { causeOf, providerCauseOf, type SipEnd } from '../causes.ts';
import type { Hop } from '../signalling/connections.ts';
import { isFailureOfEdge } from '../signalling/edge.ts';

/** Why an INVITE was refused. `isOfServer`: another server of the trunk may take it. */
type Failure = { cause: EndCause; provider: ProviderCause; isOfServer: boolean };

const UNAVAILABLE = 503;
const TIMED_OUT = 408;

export function failureOf(hop: Hop, response: IncomingResponse['message'], hasRung: boolean): Failure {
  const { statusCode, reasonPhrase = '' } = response;
  // The library's response without bytes: none came in time, or the connection was lost.
  const isOwn = !response.data;
  const isUnheard = isOwn || isFailureOfEdge(hop, response);
  const failure = isOwn ? 'The connection was lost' : 'The edge could not reach the trunk';
  const ownText = statusCode === TIMED_OUT ? 'The trunk did not respond in time' : failure;
  const end: SipEnd = {
    // What the edge calls it is no word of the trunk.
    status: isUnheard && statusCode !== TIMED_OUT ? UNAVAILABLE : (statusCode ?? null),
    text: isUnheard ? ownText : reasonPhrase,
    // Where there is no response, the library makes one without headers.
    reason: response.hasHeader('reason') ? (response.getHeader('reason') ?? null) : null,
    hasRung,
  };
  return {
    cause: causeOf(end),
    provider: providerCauseOf(isUnheard ? { ...end, status: null } : end),
    isOfServer: isUnheard || statusCode === UNAVAILABLE,
  };
}
