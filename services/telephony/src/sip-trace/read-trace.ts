import type { getSipTrace, ResponseOf } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { toIsoMicros } from '@parley/kit/time';
import type { SipMessages } from './sip-messages.store.ts';

/** For the operator: a call of any workspace. */
export async function readTrace(
  { sipMessages }: { sipMessages: Pick<SipMessages, 'of'> },
  callId: string,
): Promise<ResponseOf<typeof getSipTrace>> {
  const messages = await sipMessages.of(callId);
  if (!messages) throw notFound('Call');
  return messages.map(({ at, ...message }) => ({ ...message, at: toIsoMicros(at) }));
}
