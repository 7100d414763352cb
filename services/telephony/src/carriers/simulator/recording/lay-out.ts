import type { Cue, RecordedCall } from '../../../after-call/recordings/ports.ts';
import { speakingMs } from '../human.ts';

/**
 * Who says what, and when on the recording. A turn of the assistant is on record when it begins, one of the human when it
 * has been heard; nobody speaks before the answer, after the end, or before having finished what they said last.
 */
export function layOut({ answeredAt, record }: RecordedCall, totalMs: number): Cue[] {
  const saidLast = { user: 0, agent: 0 };
  const cues = record.flatMap((entry): Cue[] => {
    if (entry.role === 'tool') return [];
    const { role: speaker, content: text } = entry;
    const onRecordMs = entry.at.getTime() - answeredAt.getTime();
    const beganMs = speaker === 'agent' ? onRecordMs : onRecordMs - speakingMs(text);
    const atMs = Math.max(beganMs, saidLast[speaker]);
    saidLast[speaker] = atMs + 1;
    return atMs < totalMs ? [{ speaker, atMs, text }] : [];
  });
  return cues.sort((a, b) => a.atMs - b.atMs);
}
