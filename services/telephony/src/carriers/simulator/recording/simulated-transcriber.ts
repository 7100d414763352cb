import type { RecordingStore, Transcriber } from '../../../after-call/recordings/ports.ts';
import { cuesStart, HEAD_BYTES, readCues } from './wav-file.ts';

/** More than the longest conversation needs. */
const MAX_BYTES = 16 * 1024 ** 2;

/**
 * Transcribes recordings of simulated calls from the cues in the file: the text of each channel with its times. There is no speech
 * recognition, and it reads no other recordings.
 */
export function createSimulatedTranscriber(recordings: Pick<RecordingStore, 'read'>): Transcriber {
  return {
    transcribe: async (key) => {
      const head = await recordings.read(key, 0, HEAD_BYTES);
      const tail = head && (await recordings.read(key, cuesStart(head), MAX_BYTES));
      // A recording with audio of its own has none.
      return tail && tail.length > 0 ? readCues(tail) : null;
    },
  };
}
