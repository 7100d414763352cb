import { monotonicMs } from '@parley/kit/time';
import { callIdOf, readHeader } from './read-header.ts';
import { createTokenBucket, createTokenBuckets } from './token-bucket.ts';

const OF_EACH_SOURCE = { perSecond: 10, burst: 40, maxKeys: 10_000 };
const OF_ALL_SOURCES = { perSecond: 150, burst: 300 };
/** The requests of unknown sources that can get a response. */
const BEGINS_OR_CANCELS = /^(?:INVITE|CANCEL) /;
/** More than a trunk sends outside of its calls. */
const OF_KNOWN_SOURCE = { perSecond: 200, burst: 400, maxKeys: 10_000 };
const TO = ['to', 't'];
const TAG = /;\s*tag\s*=/i;

/** The far end of a connection; `edge` limits what begins calls, but lets requests within calls pass from any address. */
type SourceKind = 'unknown' | 'known' | 'edge';

/** Limits how many messages that belong to no call are parsed: each takes a millisecond, in which no audio is sent. */
export type ParseLimit = {
  allows(source: string, text: string, kind?: SourceKind): boolean;
};

/** `isOfCall`: whether a Call-ID is one of a call of this process, whose far end may send from any address. */
export function createParseLimit(
  isOfCall: (sipCallId: string) => boolean,
  nowMs: () => number = monotonicMs,
): ParseLimit {
  const ofEach = createTokenBuckets(OF_EACH_SOURCE, nowMs);
  const ofAll = createTokenBucket(OF_ALL_SOURCES, nowMs);
  const ofKnown = createTokenBuckets(OF_KNOWN_SOURCE, nowMs);
  return {
    allows(source, text, kind = 'unknown') {
      const callId = callIdOf(text);
      if (callId !== undefined && isOfCall(callId)) return true;
      if (kind === 'edge' && BEGINS_OR_CANCELS.test(text) && !TAG.test(readHeader(text, TO) ?? ''))
        return true;
      if (kind !== 'unknown') return ofKnown.take(source);
      return BEGINS_OR_CANCELS.test(text) && ofEach.take(source) && ofAll.take();
    },
  };
}
