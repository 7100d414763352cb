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
  // Without bytes it is the library's own: no response came in time, or the connection was lost.
  const isOwn = !response.data;
  /** The trunk has not responded. */
  const isUnanswered = isOwn || isFailureOfEdge(hop, response);
  const failure = isOwn ? 'The connection was lost' : 'The edge could not reach the trunk';
  const ownText = statusCode === TIMED_OUT ? 'The trunk did not respond in time' : failure;
  const end: SipEnd = {
    // The edge's status says nothing about the trunk.
    status: isUnanswered && statusCode !== TIMED_OUT ? UNAVAILABLE : (statusCode ?? null),
    text: isUnanswered ? ownText : reasonPhrase,
    // The library's own response has no headers.
    reason: response.hasHeader('reason') ? (response.getHeader('reason') ?? null) : null,
    hasRung,
  };
  return {
    cause: causeOf(end),
    provider: providerCauseOf(isUnanswered ? { ...end, status: null } : end),
    isOfServer: isUnanswered || statusCode === UNAVAILABLE,
  };
}
