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

/** Everything of a result but the time that it took. */
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
  const answer = {
    ...sent,
    ...NOTHING,
    ...head,
    body: decodeBody(body, { isWhole: complete }),
    bodyTruncated: truncated,
    bodyComplete: complete,
  };
  if (next.step === 'refuse') return { outcome: 'redirect_refused', error: next.error, ...answer };
  if (head && (complete || truncated || !needsBody)) return { outcome: 'response', ...answer };
  const cause = deadline.cause();
  const sentence = cause === undefined ? describeError(error) : deadline.sentence;
  return { outcome: cause ?? 'connection_error', error: sentence, ...answer };
};

/** The request and at most one redirect of it, within one deadline. Never rejects. */
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
    const asked = target;
    const mayFollow = followRedirects && redirect === undefined;
    const isSameOrigin = asked.url.origin === first.url.origin;
    const requestHeaders = headersForHop(request, { isSameOrigin, userAgent });
    const hopRequest = {
      method,
      headers: requestHeaders,
      ...(body === undefined ? {} : { body }),
      maxResponseBytes: request.maxResponseBytes ?? MAX_RESPONSE_BYTES,
      wantsBody: (head: Head) => nextHop(head, asked, mayFollow).step !== 'follow',
      allowHttp,
      replayable,
    };
    const hop = await runHop(asked, hopRequest, deadline, deps);
    requestSent ||= hop.sent;
    const sent = { requestHeaders, finalUrl: asked.url.href, requestSent };
    if ('failure' in hop) {
      // A redirect that leaves https has no usable Location; one to a forbidden address is worse than that (D8.6).
      if (redirect && hop.insecure)
        return { outcome: 'redirect_refused', error: hop.error, ...sent, ...NOTHING, ...redirect };
      return { outcome: hop.failure, error: hop.error, ...sent, ...NOTHING };
    }
    const { head } = hop.exchange;
    const next: NextHop = head ? nextHop(head, asked, mayFollow) : { step: 'answer' };
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
