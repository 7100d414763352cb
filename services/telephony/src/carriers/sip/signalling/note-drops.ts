import type { Log } from '@parley/kit/log';
import { monotonicMs } from '@parley/kit/time';
import type { Flaw } from './parse.ts';
import { createTokenBuckets } from './token-bucket.ts';

/** Why a connection or a message gets no response: there are too many connections or messages, or the message is malformed. */
export type Drop = 'connection' | 'rate' | Flaw;

/** `remote`: the address that it came from. */
export type NoteDrop = (reason: Drop, remote: string, isKnown: boolean) => void;

/** A line in a minute for each reason, of known and of unknown sources: any sender can cause as many drops as it likes. */
const LINES = { perSecond: 1 / 60, burst: 1, maxKeys: 100 };
const MAX_ADDRESS_CHARACTERS = 100;

/** Counts what is dropped, and logs some of it with its address. */
export function createNoteDrop(
  log: Pick<Log, 'info'>,
  onDropped: (reason: Drop) => void,
  nowMs: () => number = monotonicMs,
): NoteDrop {
  const lines = createTokenBuckets(LINES, nowMs);
  return (reason, remote, isKnown) => {
    onDropped(reason);
    if (!lines.take(`${reason} ${isKnown}`)) return;
    log.info(
      { reason, remote: remote.slice(0, MAX_ADDRESS_CHARACTERS), isKnown },
      'a SIP connection or message was dropped; further ones are only counted for a minute',
    );
  };
}
