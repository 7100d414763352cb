import { type QueueName, topology } from '@parley/contracts';
import type { GetMessage } from 'amqplib';
import type { Log } from '../log/index.ts';
import { realTimer } from '../time/index.ts';
import { declareConsumed } from './declare-topology.ts';
import { deadExchangeName, deadQueueName, queueName } from './names.ts';
import { CONFIRM_TIMEOUT_MS, openSession, type Session } from './session.ts';

export type DeadLetter = { text: string; publishedAtSeconds: number | undefined };

export type RewriteOptions = {
  queue: QueueName;
  /** Dead letters remaining in the walk; null at its beginning. */
  left: number | null;
  /** Returns the new text of a dead letter, or null to delete it. */
  rewrite: (letter: DeadLetter) => Promise<string | null>;
};

/** `changed`: rewritten or deleted; `left`: 0 when the walk is done. */
export type Rewritten = { changed: number; left: number };

/** Messages of at most 1 MiB each. */
const BATCH = 16;
const BATCHES = 4;

/**
 * Moves dead letters from the head of their queue to its end and rewrites them: one step of a walk over all that exist when the walk
 * begins. A message is acknowledged after its copy is confirmed, so a crash in between leaves a duplicate, which consumers ignore.
 * Concurrent walks may move a message twice but never skip one.
 */
export async function rewriteDeadLetters(
  { url, prefix, declares, log }: { url: string; prefix: string; declares: boolean; log: Log },
  { queue, left, rewrite }: RewriteOptions,
): Promise<Rewritten> {
  const dead = deadQueueName(prefix, queue);
  const session = await openSession({
    url,
    name: `${dead} walk`,
    log,
    setup: async (channel) => {
      if (declares) await declareConsumed(channel, prefix, queue);
    },
  });
  try {
    const { messageCount } = await session.channel.checkQueue(dead);
    const todo = Math.min(left ?? messageCount, messageCount);
    let seen = 0;
    let changed = 0;
    while (seen < Math.min(todo, BATCH * BATCHES)) {
      const letters = await getSome(session, dead, Math.min(BATCH, todo - seen));
      if (letters.length === 0) return { changed, left: 0 };
      changed += await move(
        session,
        { exchange: deadExchangeName(prefix), key: queueName(prefix, queue) },
        letters,
        rewrite,
      );
      seen += letters.length;
    }
    return { changed, left: todo - seen };
  } finally {
    // Returns unacknowledged messages to the queue.
    await session.close();
  }
}

/** The queues that a service consumes. */
export function queuesOf(service: string): QueueName[] {
  return (Object.keys(topology) as QueueName[]).filter((queue) => topology[queue].service === service);
}

async function getSome({ channel }: Session, dead: string, count: number): Promise<GetMessage[]> {
  const letters: GetMessage[] = [];
  while (letters.length < count) {
    const letter = await channel.get(dead);
    if (!letter) break;
    letters.push(letter);
  }
  return letters;
}

async function move(
  session: Session,
  to: { exchange: string; key: string },
  letters: readonly GetMessage[],
  rewrite: RewriteOptions['rewrite'],
): Promise<number> {
  const { channel } = session;
  // A blocked broker confirms nothing: the removal is postponed instead of waiting in its transaction.
  if (session.isBlocked()) throw new Error('RabbitMQ blocks publishers');
  let isReturned = false;
  const onReturn = (): void => {
    isReturned = true;
  };
  channel.once('return', onReturn);
  let changed = 0;
  for (const { content, properties } of letters) {
    const text = content.toString('utf8');
    const publishedAtSeconds = typeof properties.timestamp === 'number' ? properties.timestamp : undefined;
    const rewritten = await rewrite({ text, publishedAtSeconds });
    if (rewritten !== text) changed += 1;
    if (rewritten === null) continue;
    // Unchanged messages keep their bytes, even if these are not UTF-8.
    const body = rewritten === text ? content : Buffer.from(rewritten);
    // Not to the queue by its name: the right to do that is the right to write to any queue.
    channel.publish(to.exchange, to.key, body, { ...properties, persistent: true, mandatory: true });
  }
  await confirmAll(session);
  channel.off('return', onReturn);
  // Without the binding, which a provided topology may lack, the broker confirms a copy that it has dropped.
  if (isReturned) throw new Error(`no dead-letter queue is bound to ${to.key}`);
  for (const letter of letters) channel.ack(letter);
  return changed;
}

/** A broker whose memory or disk is full keeps the connection open but confirms nothing. */
async function confirmAll({ channel, lost, abandon }: Session): Promise<void> {
  const lose = new Promise<never>((_, reject) => {
    lost.addEventListener('abort', () => reject(lost.reason), { once: true });
  });
  const cancel = realTimer(CONFIRM_TIMEOUT_MS, () => abandon('confirm timed out'));
  try {
    await Promise.race([channel.waitForConfirms(), lose]);
    lost.throwIfAborted();
  } finally {
    cancel();
  }
}
