export type SpokenTurn = { role: 'user' | 'agent'; content: string; timestamp: string };

const SPEAKERS = { user: 'User', agent: 'Agent' } as const;

/** A conversation as plain text, a line per turn with its time and who spoke (spec: Call (legacy)). */
export function toPlainTranscript(turns: readonly SpokenTurn[]): string {
  return turns
    .map(({ role, content, timestamp }) => `[${timestamp}] ${SPEAKERS[role]}: ${oneLine(content)}`)
    .join('\n');
}

/** Nobody can pretend a turn of somebody else by speaking a line break. */
function oneLine(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ').trim();
}
