import type { Deadline } from './deadline.ts';
import { decodeBody } from './decode-body.ts';
import { describeError } from './describe-error.ts';
import type { Exchange, Head } from './exchange.ts';
import { type NextHop, nextHop } from './next-hop.ts';
import { parseTarget } from './parse-target.ts';
import type { OutboundRequest, OutboundResult } from './request.ts';
import { headersForHop } from './request-headers.ts';
import { type HopDeps, runHop } from './run-hop.ts';

const MAX_RESPONSE_BYTES = 65_536;
const NOTHING = { status: 0, headers: {}, body: '', bodyTruncated: false, bodyComplete: false };

/** A result without its duration. */
export type Outcome = OutboundResult extends infer R
  ? R extends unknown
    ? Omit<R, 'durationMs'>
    : never
  : never;

type Sent = Pick<Outcome, 'requestHeaders' | 'finalUrl' | 'remoteAddress' | 'requestSent'>;

const outcomeOf = (
  { head, body, truncated, complete, error }: Exchange,
  { sent, next, deadline, needsBody }: { sent: Sent; next: NextHop; deadline: Deadline; needsBody: boolean },
): Outcome => {
  const response = {
    ...sent,
    ...NOTHING,
    ...head,
    body: decodeBody(body, { isWhole: complete }),
    bodyTruncated: truncated,
    bodyComplete: complete,
  };
  if (next.step === 'reject') return { outcome: 'redirect_refused', error: next.error, ...response };
  if (head && (complete || truncated || !needsBody)) return { outcome: 'response', ...response };
  const cause = deadline.cause();
  const sentence = cause === undefined ? describeError(error) : deadline.sentence;
  return { outcome: cause ?? 'connection_error', error: sentence, ...response };
};

/** Sends a request and follows at most one redirect, within one deadline. Never rejects. */
export async function sendRequest(
  request: OutboundRequest,
  deadline: Deadline,
  { userAgent, ...deps }: HopDeps & { userAgent: string },
): Promise<Outcome> {
  const { url, method, body, allowHttp, followRedirects, replayable = false } = request;
  const first = parseTarget(url);
  if (typeof first === 'string') {
    const sent = { requestHeaders: {}, finalUrl: url, requestSent: false };
    return { outcome: 'address_refused', error: `The URL ${first}`, ...sent, ...NOTHING };
  }
  let target = first;
  let redirect: Head | undefined;
  let requestSent = false;
  for (;;) {
    const current = target;
    const mayFollow = followRedirects && redirect === undefined;
    const isSameOrigin = current.url.origin === first.url.origin;
    const requestHeaders = headersForHop(request, { isSameOrigin, userAgent });
    const hopRequest = {
      method,
      headers: requestHeaders,
      ...(body === undefined ? {} : { body }),
      maxResponseBytes: request.maxResponseBytes ?? MAX_RESPONSE_BYTES,
      wantsBody: (head: Head) => nextHop(head, current, mayFollow).step !== 'follow',
      allowHttp,
      replayable,
    };
    const hop = await runHop(current, hopRequest, deadline, deps);
    requestSent ||= hop.sent;
    const sent = { requestHeaders, finalUrl: current.url.href, requestSent };
    if ('failure' in hop) {
      // A redirect to plain http is a rejected redirect; one to a forbidden address is a rejected address.
      if (redirect && hop.insecure)
        return { outcome: 'redirect_refused', error: hop.error, ...sent, ...NOTHING, ...redirect };
      return { outcome: hop.failure, error: hop.error, ...sent, ...NOTHING };
    }
    const { head } = hop.exchange;
    const next: NextHop = head ? nextHop(head, current, mayFollow) : { step: 'respond' };
    if (head && next.step === 'follow') {
      redirect = head;
      target = next.target;
      continue;
    }
    return outcomeOf(hop.exchange, {
      sent: { ...sent, remoteAddress: hop.remoteAddress },
      next,
      deadline,
      needsBody: request.readBody === 'full',
    });
  }
}
