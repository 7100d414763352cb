import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@parley/kit/time';

/** How long a link works that a read of the call gives (D6.9). */
const LIFETIME_MS = 3_600_000;
/** The bytes of an event are fixed when it is made: its link outlives a day of retries and later resends (Events). */
const EVENT_LIFETIME_MS = 7 * 24 * 3_600_000;

export type RecordingLinks = {
  /** A URL that anybody may open for an hour. */
  sign(recordingKey: string): string;
  /** The same for seven days: what `call_analyzed` carries. */
  signForEvent(recordingKey: string): string;
  /** Whether the query of a link was made here for this recording, and its time is not over. */
  verify(recordingKey: string, query: { expires: string; signature: string }): boolean;
};

export type RecordingLinksOptions = {
  /** Where the world reaches the platform, without a slash at the end. */
  publicUrl: string;
  secret: string;
  clock: Clock;
};

/** Links to recordings, which need no key: the signature in them is one (D6.9). */
export function createRecordingLinks({ publicUrl, secret, clock }: RecordingLinksOptions): RecordingLinks {
  const signatureOf = (key: string, expires: string): Buffer =>
    createHmac('sha256', secret).update(`${key}\n${expires}`).digest();

  const sign = (key: string, lifetimeMs: number): string => {
    const expires = String(Math.floor((clock.now().getTime() + lifetimeMs) / 1000));
    const signature = signatureOf(key, expires).toString('base64url');
    return `${publicUrl}/recordings/${encodeURIComponent(key)}?expires=${expires}&signature=${signature}`;
  };

  return {
    sign: (key) => sign(key, LIFETIME_MS),
    signForEvent: (key) => sign(key, EVENT_LIFETIME_MS),
    verify: (key, { expires, signature }) => {
      const given = Buffer.from(signature, 'base64url');
      const expected = signatureOf(key, expires);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
      return Number(expires) * 1000 > clock.now().getTime();
    },
  };
}
