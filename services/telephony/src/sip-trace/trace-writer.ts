import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import type { TraceSink } from '../carriers/sip/trace.ts';
import type { CallMessage, SipMessages } from './sip-messages.store.ts';

/** Messages that wait to be written; more are dropped: a trace must neither slow a call nor fill the memory. */
const MAX_WAITING = 5_000;
const WRITE_EVERY_MS = 500;
const MAX_BATCH = 500;

type Deps = {
  messages: Pick<SipMessages, 'add'>;
  /** Counts messages that were not stored. */
  dropped(count: number): void;
  log: Log;
  lifecycle: Lifecycle;
};

/** Stores the SIP messages of calls [sip.37], a moment later and many at once. */
export function createTraceWriter({ messages, dropped, log, lifecycle }: Deps): TraceSink {
  const waiting: CallMessage[] = [];
  let isWriting = false;

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH);
      await messages.add(batch).catch((err: unknown) => {
        dropped(batch.length);
        log.warn({ err, count: batch.length }, 'SIP messages of calls could not be stored');
      });
    }
  };
  const writeLater = async (): Promise<void> => {
    if (isWriting) return;
    isWriting = true;
    await sleep(WRITE_EVERY_MS, undefined, { ref: false });
    await write();
    isWriting = false;
  };
  lifecycle.onStop('SIP messages of calls', write);

  return (message) => {
    const { callId } = message;
    if (callId === null) return;
    if (waiting.length >= MAX_WAITING) return dropped(1);
    waiting.push({ ...message, callId });
    void writeLater();
  };
}
