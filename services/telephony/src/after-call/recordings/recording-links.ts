import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@parley/kit/time';

/** A link of a read of the call [calls.12]. */
const LIFETIME_MS = 3_600_000;
/** The payload of an event is fixed: its link has to outlast the retries and later resends. */
const EVENT_LIFETIME_MS = 7 * 24 * 3_600_000;

export type RecordingLinks = {
  /** A URL that is valid for one hour. */
  sign(recordingKey: string): string;
  /** A URL that is valid for seven days, for `call_analyzed`. */
  signForEvent(recordingKey: string): string;
  /** Whether the link was signed for this recording and has not expired. */
  verify(recordingKey: string, query: { expires: string; signature: string }): boolean;
};

export type RecordingLinksOptions = {
  /** Public URL of the platform, without a trailing slash. */
  publicUrl: string;
  /** The first signs, all are valid. */
  secrets: readonly string[];
  clock: Clock;
};

/** Signs links to recordings, which need no API key [calls.12]. */
export function createRecordingLinks({ publicUrl, secrets, clock }: RecordingLinksOptions): RecordingLinks {
  const [current = ''] = secrets;
  const signatureOf = (secret: string, key: string, expires: string): Buffer =>
    createHmac('sha256', secret).update(`${key}\n${expires}`).digest();

  const sign = (key: string, lifetimeMs: number): string => {
    const expires = String(Math.floor((clock.now().getTime() + lifetimeMs) / 1000));
    const signature = signatureOf(current, key, expires).toString('base64url');
    return `${publicUrl}/recordings/${encodeURIComponent(key)}?expires=${expires}&signature=${signature}`;
  };

  return {
    sign: (key) => sign(key, LIFETIME_MS),
    signForEvent: (key) => sign(key, EVENT_LIFETIME_MS),
    verify: (key, { expires, signature }) => {
      const given = Buffer.from(signature, 'base64url');
      const isOf = (secret: string): boolean => {
        const expected = signatureOf(secret, key, expires);
        return given.length === expected.length && timingSafeEqual(given, expected);
      };
      if (!secrets.some(isOf)) return false;
      return Number(expires) * 1000 > clock.now().getTime();
    },
  };
}
