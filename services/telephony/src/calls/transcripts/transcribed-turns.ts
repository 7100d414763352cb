import { toIsoMillis } from '@parley/kit/time';
import type { Cue } from '../../after-call/recordings/ports.ts';
import type { Entry } from '../../sessions/ports.ts';
import type { SpokenTurn } from '../plain-transcript.ts';

/** The transcription of a recording as turns; the recording begins when the call is answered. */
export function toTurns(cues: readonly Cue[], answeredAt: Date): SpokenTurn[] {
  return cues.map(({ speaker, atMs, text }) => ({
    role: speaker,
    content: text,
    timestamp: toIsoMillis(new Date(answeredAt.getTime() + atMs)),
  }));
}

/** The record of a call with its spoken turns replaced, in order of time; tool executions stay. */
export function withTranscribedTurns(record: readonly Entry[], transcribed: readonly SpokenTurn[]): Entry[] {
  const tools = record.filter(({ role }) => role === 'tool');
  const spoken = transcribed.map(
    ({ role, content, timestamp }): Entry => ({ seq: 0, at: new Date(timestamp), role, content }),
  );
  // Tools first: what the assistant says about a tool has the same time or a later one.
  return [...tools, ...spoken]
    .sort((a, b) => a.at.getTime() - b.at.getTime())
    .map((entry, seq) => ({ ...entry, seq }));
}
