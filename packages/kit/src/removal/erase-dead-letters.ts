import { z } from 'zod';
import { type Amqp, type DeadLetter, queuesOf } from '../amqp/index.ts';
import type { ErasedNumbers } from './erased-numbers.ts';
import { isAbout, maskDigits } from './mention.ts';
import type { RemovalStep, RemovalTarget } from './step.ts';

export type DeadLettersDeps = {
  service: string;
  amqp: Pick<Amqp, 'rewriteDeadLetters'>;
  erasedNumbers: ErasedNumbers;
};

const envelope = z.object({ workspace_id: z.uuid() });

/**
 * Walks the dead letters of the service's queues. Mentions of an erased number are masked; messages about an erased person and messages
 * of a deleted workspace are deleted. Malformed messages are searched as text for the numbers of every workspace.
 */
export function eraseDeadLetters({ service, amqp, erasedNumbers }: DeadLettersDeps): RemovalStep {
  const queues = queuesOf(service);
  return async (_tx, target, cursor) => {
    const [index = 0, left = null] = cursor?.split(' ').map(Number) ?? [];
    const queue = queues[index];
    if (!queue) return { next: null };
    const rewrite = (letter: DeadLetter): Promise<string | null> => rewritten(erasedNumbers, target, letter);
    const walked = await amqp.rewriteDeadLetters({ queue, left, rewrite });
    const next = walked.left > 0 ? `${index} ${walked.left}` : `${index + 1}`;
    return { removed: { dead_letters: walked.changed }, next };
  };
}

async function rewritten(
  erasedNumbers: ErasedNumbers,
  target: RemovalTarget,
  { text, publishedAtSeconds }: DeadLetter,
): Promise<string | null> {
  const workspaceId = workspaceOf(text);
  if (target.phoneNumber === null && workspaceId === target.workspaceId) return null;
  const digits = await erasedNumbers.find({ text, workspaceId, publishedAtSeconds });
  if (digits.size === 0) return text;
  return workspaceId !== undefined && isAbout(text, digits) ? null : maskDigits(text, digits);
}

function workspaceOf(text: string): string | undefined {
  try {
    return envelope.safeParse(JSON.parse(text)).data?.workspace_id;
  } catch {
    return undefined;
  }
}
