import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@parley/kit/time';

/** How long a link works (D6.9). */
const LIFETIME_MS = 3_600_000;

export type RecordingLinks = {
  /** A URL that anybody may open for an hour. */
  sign(recordingKey: string): string;
  /** Whether the query of a link was made by `sign` for this recording, and its hour is not over. */
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

  return {
    sign: (key) => {
      const expires = String(Math.floor((clock.now().getTime() + LIFETIME_MS) / 1000));
      const signature = signatureOf(key, expires).toString('base64url');
      return `${publicUrl}/recordings/${encodeURIComponent(key)}?expires=${expires}&signature=${signature}`;
    },
    verify: (key, { expires, signature }) => {
      const given = Buffer.from(signature, 'base64url');
      const expected = signatureOf(key, expires);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
      return Number(expires) * 1000 > clock.now().getTime();
    },
  };
}
