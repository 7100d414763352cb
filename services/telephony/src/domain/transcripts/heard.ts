import { toIsoMillis } from '@parley/kit/time';
import type { SpokenTurn } from '../call-history/plain-transcript.ts';
import type { Entry } from '../calls/ports.ts';
import type { Cue } from '../recordings/ports.ts';

/** What was heard on a recording, as turns of the call that was answered then. */
export function toTurns(cues: readonly Cue[], answeredAt: Date): SpokenTurn[] {
  return cues.map(({ speaker, atMs, text }) => ({
    role: speaker,
    content: text,
    timestamp: toIsoMillis(new Date(answeredAt.getTime() + atMs)),
  }));
}

/** The record of a call with what was heard in place of its turns, by time; tools stay where they were. */
export function withHeard(record: readonly Entry[], heard: readonly SpokenTurn[]): Entry[] {
  const tools = record.filter(({ role }) => role === 'tool');
  const spoken = heard.map(
    ({ role, content, timestamp }): Entry => ({ seq: 0, at: new Date(timestamp), role, content }),
  );
  // What the assistant says about a tool comes after it, in the same instant or later.
  return [...tools, ...spoken]
    .sort((a, b) => a.at.getTime() - b.at.getTime())
    .map((entry, seq) => ({ ...entry, seq }));
}
