import { setImmediate as nextTick } from 'node:timers/promises';
import type { Session } from './session.ts';

/**
 * The broker rejected a message, such as one over its size limit or with invalid AMQP. It then closes the channel or the connection, so
 * that other publications in flight fail as well.
 */
export class MessageRefusedError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'MessageRefusedError';
  }
}

/** AMQP reply codes caused by a message: precondition failed (too large), frame error, syntax error. */
const REFUSALS = new Set([406, 501, 502]);

/** The error if the broker ended the session because of a message. */
export async function refusalOf({ lost }: Pick<Session, 'lost'>): Promise<MessageRefusedError | undefined> {
  // Pending confirms are rejected before the error of the channel is emitted.
  await nextTick();
  const reason: unknown = lost.aborted ? lost.reason : undefined;
  const code = reason instanceof Error && 'code' in reason ? Number(reason.code) : Number.NaN;
  return REFUSALS.has(code) ? new MessageRefusedError(reason) : undefined;
}
