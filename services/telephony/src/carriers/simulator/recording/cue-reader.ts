import type { CueReader, RecordingStore } from '../../../after-call/recordings/ports.ts';
import { cuesStart, HEAD_BYTES, readCues } from './wav-file.ts';

/** More than the longest conversation needs. */
const MAX_BYTES = 16 * 1024 ** 2;

/**
 * Reads the cues of recordings of simulated calls without audio: the text of each channel with its times. There is no speech recognition;
 * recordings of real audio have no cues.
 */
export function createCueReader(recordings: Pick<RecordingStore, 'read'>): CueReader {
  return {
    read: async (key) => {
      const head = await recordings.read(key, 0, HEAD_BYTES);
      const tail = head && (await recordings.read(key, cuesStart(head), MAX_BYTES));
      if (!tail) return null;
      return tail.length > 0 ? readCues(tail) : 'audio';
    },
  };
}
