import { monotonicMs } from '@parley/kit/time';
import { LRUCache } from 'lru-cache';
import { type Allowance, createAllowance } from './allowance.ts';
import { readHeader } from './read-header.ts';

const MAX_SOURCES = 10_000;
const OF_EACH = { perSecond: 10, burst: 40 };
const OF_ALL = { perSecond: 150, burst: 300 };
/** All that an unknown source gets a response to, or that ends what it began. */
const BEGINS_A_CALL = /^(?:INVITE|CANCEL) /;
const CALL_ID = ['call-id', 'i'];

/** Which messages of unknown sources are read: to parse one takes a millisecond, in which no audio is sent. */
export type Strangers = {
  reads(source: string, text: string): boolean;
};

/** `isOfCall`: whether a Call-ID is one of a call of this process, whose far end may send from any address. */
export function createStrangers(
  isOfCall: (sipCallId: string) => boolean,
  nowMs: () => number = monotonicMs,
): Strangers {
  const allowances = new LRUCache<string, Allowance>({ max: MAX_SOURCES });
  const ofAll = createAllowance(OF_ALL, nowMs);
  return {
    reads(source, text) {
      const callId = readHeader(text, CALL_ID);
      if (callId !== undefined && isOfCall(callId)) return true;
      if (!BEGINS_A_CALL.test(text)) return false;
      const allowance = allowances.get(source) ?? createAllowance(OF_EACH, nowMs);
      allowances.set(source, allowance);
      return allowance.take() && ofAll.take();
    },
  };
}
