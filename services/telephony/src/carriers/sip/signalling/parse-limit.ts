import { monotonicMs } from '@parley/kit/time';
import { readHeader } from './read-header.ts';
import { createTokenBucket, createTokenBuckets } from './token-bucket.ts';

const OF_EACH_SOURCE = { perSecond: 10, burst: 40, maxKeys: 10_000 };
const OF_ALL_SOURCES = { perSecond: 150, burst: 300 };
/** The requests of unknown sources that can get a response. */
const BEGINS_OR_CANCELS = /^(?:INVITE|CANCEL) /;
const CALL_ID = ['call-id', 'i'];

/** Limits how many messages of unknown sources are parsed: each takes a millisecond, in which no audio is sent. */
export type ParseLimit = {
  allows(source: string, text: string): boolean;
};

/** `isOfCall`: whether a Call-ID is one of a call of this process, whose far end may send from any address. */
export function createParseLimit(
  isOfCall: (sipCallId: string) => boolean,
  nowMs: () => number = monotonicMs,
): ParseLimit {
  const ofEach = createTokenBuckets(OF_EACH_SOURCE, nowMs);
  const ofAll = createTokenBucket(OF_ALL_SOURCES, nowMs);
  return {
    allows(source, text) {
      const callId = readHeader(text, CALL_ID);
      if (callId !== undefined && isOfCall(callId)) return true;
      return BEGINS_OR_CANCELS.test(text) && ofEach.take(source) && ofAll.take();
    },
  };
}
