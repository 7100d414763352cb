import { createHmac, timingSafeEqual } from 'node:crypto';
import { auditActor } from '@parley/contracts';
import type { Actor } from '@parley/kit/http';
import type { Clock } from '@parley/kit/time';

/** A link of a read of the call [calls.12]. */
const LIFETIME_MS = 3_600_000;
/** The payload of an event is fixed: its link has to outlast the retries and later resends. */
const EVENT_LIFETIME_MS = 7 * 24 * 3_600_000;

export type RecordingLinks = {
  /** URLs for the reader of a call, each valid for one hour. */
  signerFor(reader: LinkReader): { sign(recordingKey: string): string };
  /** A URL that is valid for seven days, for `call_analyzed`. */
  signForEvent(recordingKey: string): string;
  /** Whether the link was signed for this recording and reader, and has not expired. */
  verify(
    recordingKey: string,
    query: { expires: string; reader?: string | undefined; signature: string },
  ): boolean;
};

/** Who a link was made for, in the link as `kind.id`: opening it is recorded in their name. */
export type LinkReader = Pick<Actor, 'kind' | 'id'>;

/** The reader that a verified link names; undefined: it is the link of an event. */
export function readerIn(text: string | undefined): LinkReader | undefined {
  const [kind, ...id] = text?.split('.') ?? [];
  const found = auditActor.shape.kind.safeParse(kind);
  return found.success ? { kind: found.data, id: id.join('.') } : undefined;
}

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
  const signatureOf = (secret: string, key: string, expires: string, reader?: string): Buffer =>
    createHmac('sha256', secret)
      .update([key, expires, ...(reader === undefined ? [] : [reader])].join('\n'))
      .digest();

  const sign = (key: string, lifetimeMs: number, reader?: string): string => {
    const expires = String(Math.floor((clock.now().getTime() + lifetimeMs) / 1000));
    const signature = signatureOf(current, key, expires, reader).toString('base64url');
    const query = new URLSearchParams({ expires, ...(reader === undefined ? {} : { reader }), signature });
    return `${publicUrl}/recordings/${encodeURIComponent(key)}?${query}`;
  };

  return {
    signerFor: ({ kind, id }) => ({ sign: (key) => sign(key, LIFETIME_MS, `${kind}.${id}`) }),
    signForEvent: (key) => sign(key, EVENT_LIFETIME_MS),
    verify: (key, { expires, reader, signature }) => {
      const given = Buffer.from(signature, 'base64url');
      const isOf = (secret: string): boolean => {
        const expected = signatureOf(secret, key, expires, reader);
        return given.length === expected.length && timingSafeEqual(given, expected);
      };
      if (!secrets.some(isOf)) return false;
      return Number(expires) * 1000 > clock.now().getTime();
    },
  };
}
