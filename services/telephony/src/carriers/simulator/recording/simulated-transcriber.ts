import type { RecordingStore, Transcriber } from '../../../after-call/recordings/ports.ts';
import { cuesStart, HEAD_BYTES, readCues } from './wav-file.ts';

/** More than the longest conversation says. */
const MAX_BYTES = 16 * 1024 ** 2;

/**
 * Hears the recordings of simulated calls by the cues that are written into them: what was put on each channel, and
 * when. It is no speech recognition and hears no other recordings.
 */
export function createSimulatedTranscriber(recordings: Pick<RecordingStore, 'read'>): Transcriber {
  return {
    transcribe: async (key) => {
      const head = await recordings.read(key, 0, HEAD_BYTES);
      const tail = head && (await recordings.read(key, cuesStart(head), MAX_BYTES));
      return tail && readCues(tail);
    },
  };
}
