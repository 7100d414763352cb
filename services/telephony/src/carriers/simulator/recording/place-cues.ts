import type { Cue, RecordedCall } from '../../../after-call/recordings/ports.ts';
import { speakingMs } from '../human.ts';

/**
 * The speakers and times of lines on the recording. The assistant's turns are recorded at their beginning, the human's at their end.
 * No speech is placed before the answer, after the end, or over the same speaker's previous line.
 */
export function placeCues({ answeredAt, record }: RecordedCall, totalMs: number): Cue[] {
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
