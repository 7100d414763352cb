import type { Media } from '../../media.ts';
import type { LegBody } from './leg-body.ts';

/** A leg of a call in this process. */
export type SipLeg = {
  readonly body: LegBody;
  /** Answers an inbound leg; others are not concerned. */
  answer(): Promise<void>;
  /** Declines an inbound leg that is not answered. */
  reject(): void;
  /** Ends the leg in whatever state it is; may be repeated. */
  hangup(): void;
  /** Resolves when the leg has been answered or is over: before that no other worker could continue it. */
  settled(): Promise<void>;
};

export function mediaOf({ body }: SipLeg): Media | undefined {
  const session = body.media.session();
  return session && { kind: 'audio', session };
}

const KEYS = /^[0-9*#A-D]+$/;

/** Presses keys with the audio (RFC 4733), otherwise by INFO. */
export async function sendKeys({ body }: SipLeg, keys: string): Promise<void> {
  if (!KEYS.test(keys)) throw new RangeError('Not keys of a telephone');
  const session = body.media.session();
  const dialog = body.dialog();
  if (!session) throw new Error('The leg has no audio');
  if (body.media.hasKeys()) return session.sendDigits(keys);
  if (!dialog) throw new Error('The leg is not answered');
  for (const key of keys) if (!(await dialog.info(key))) throw new Error('The far end accepts no keys');
}
