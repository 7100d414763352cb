import { networkOf } from '@parley/kit/outbound';
import { monotonicMs } from '@parley/kit/time';
import { calledNumberIn } from './called-number.ts';
import { callIdOf, readHeader } from './read-header.ts';
import { createTokenBucket, createTokenBuckets } from './token-bucket.ts';

/** Of an IPv4 address, or the /64 of an IPv6 one, which one host has as a whole. */
const OF_EACH_SOURCE = { perSecond: 10, burst: 40, maxKeys: 10_000 };
const OF_ALL_SOURCES = { perSecond: 150, burst: 300 };
/** The requests of unknown sources that can get a response. */
const BEGINS_OR_CANCELS = /^(?:INVITE|CANCEL) /;
/** Each message takes 1.5 ms: all of them may take 30 % of a core. */
const OF_KNOWN_SOURCE = { perSecond: 200, burst: 400, maxKeys: 10_000 };
/**
 * Of these for one called number, so that a flood to it leaves the rest to others at the same carrier: the calls that a number takes, each
 * with a challenged INVITE, one with credentials and a CANCEL.
 */
const OF_CALLED_NUMBER = { perSecond: 60, burst: 180, maxKeys: 10_000 };
const ACK = /^ACK /;
const TO = ['to', 't'];
const TAG = /;\s*tag\s*=/i;

/** The far end of a connection; `edge` limits what begins calls, but lets requests within calls pass from any address. */
type SourceKind = 'unknown' | 'known' | 'edge';

/** `ignore`: it has no effect. `drop`: its source sends too much. */
type Verdict = 'parse' | 'ignore' | 'drop';

/** Limits how many messages that belong to no call are parsed: no audio is sent meanwhile. */
export type ParseLimit = {
  judge(source: string, text: string, kind?: SourceKind): Verdict;
};

/** `isOfCall`: whether a Call-ID is one of a call of this process, whose far end may send from any address. */
export function createParseLimit(
  isOfCall: (sipCallId: string) => boolean,
  nowMs: () => number = monotonicMs,
): ParseLimit {
  const ofEach = createTokenBuckets(OF_EACH_SOURCE, nowMs);
  const ofAll = createTokenBucket(OF_ALL_SOURCES, nowMs);
  const ofKnown = createTokenBuckets(OF_KNOWN_SOURCE, nowMs);
  const ofCalledNumber = createTokenBuckets(OF_CALLED_NUMBER, nowMs);

  const isInTime = (source: string, text: string, kind: SourceKind): boolean => {
    if (kind === 'unknown') return ofEach.take(networkOf(source)) && ofAll.take();
    if (!BEGINS_OR_CANCELS.test(text)) return ofKnown.take(source);
    const to = readHeader(text, TO) ?? '';
    if (kind === 'edge' && !TAG.test(to)) return true;
    const [, uri = ''] = text.split(' ', 2);
    // Requests without a number share a bucket: they call none of ours.
    const called = calledNumberIn(uri, to) ?? '';
    return ofCalledNumber.take(`${source} ${called}`) && ofKnown.take(source);
  };

  return {
    judge(source, text, kind = 'unknown') {
      const callId = callIdOf(text);
      if (callId !== undefined && isOfCall(callId)) return 'parse';
      // It acknowledges a refusal, which is over.
      if (ACK.test(text) || (kind === 'unknown' && !BEGINS_OR_CANCELS.test(text))) return 'ignore';
      return isInTime(source, text, kind) ? 'parse' : 'drop';
    },
  };
}
