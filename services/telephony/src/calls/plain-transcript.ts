import { toIsoMillis } from '@parley/kit/time';
import { z } from 'zod';
import type { Entry } from '../sessions/ports.ts';

export const spokenTurn = z.object({
  role: z.enum(['user', 'agent']),
  content: z.string(),
  timestamp: z.string(),
});

export type SpokenTurn = z.infer<typeof spokenTurn>;

/** What was said, without tools. */
export const spokenTurns = (record: readonly Entry[]): SpokenTurn[] =>
  record.flatMap((entry) =>
    entry.role === 'tool'
      ? []
      : [{ role: entry.role, content: entry.content, timestamp: toIsoMillis(entry.at) }],
  );

const SPEAKERS = { user: 'User', agent: 'Agent' } as const;

/** A conversation as plain text: a line per turn with its time and speaker. */
export function toPlainTranscript(turns: readonly SpokenTurn[]): string {
  return turns
    .map(({ role, content, timestamp }) => `[${timestamp}] ${SPEAKERS[role]}: ${oneLine(content)}`)
    .join('\n');
}

/**
 * Without line breaks, so that a speaker can't forge a turn of the other. One expression for the breaks and the blanks around them would need
 * minutes for a long run of blanks.
 */
function oneLine(text: string): string {
  const lines = text.split(/[\r\n\u2028\u2029]/).map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}
