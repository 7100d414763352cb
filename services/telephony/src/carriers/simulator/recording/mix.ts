import type { Cue } from '../../../after-call/recordings/ports.ts';
import { SAMPLE_RATE, type Voice } from './voice.ts';
import { FRAME_BYTES } from './wav-file.ts';

/** One second per block. */
const BLOCK_FRAMES = SAMPLE_RATE;

/** Where each speaker's sample is in a frame, in bytes: the human on the left channel, the assistant on the right. */
const SAMPLE_OFFSET = { user: 0, agent: 2 } as const;

type Track = {
  speaker: 'user' | 'agent';
  cues: readonly Cue[];
  next: number;
  start: number;
  samples: Int16Array;
};

/**
 * The samples of a recording, block by block: only one block and the current line of each side are in memory. A speaker's next
 * line cuts off the previous one.
 */
export async function* mix(
  cues: readonly Cue[],
  frames: number,
  { voice, signal }: { voice: Voice; signal: AbortSignal },
): AsyncGenerator<Buffer> {
  const tracks = (['user', 'agent'] as const).map((speaker): Track => {
    const own = cues.filter((cue) => cue.speaker === speaker);
    return { speaker, cues: own, next: 0, start: 0, samples: new Int16Array() };
  });
  for (let first = 0; first < frames; first += BLOCK_FRAMES) {
    signal.throwIfAborted();
    const block = Buffer.alloc(Math.min(BLOCK_FRAMES, frames - first) * FRAME_BYTES);
    for (const track of tracks)
      await fill(block, first, track, (cue) => {
        const following = track.cues[track.next + 1];
        const end = following ? frameOf(following) : frames;
        return voice(cue.text, track.speaker, { seconds: (end - frameOf(cue)) / SAMPLE_RATE, signal });
      });
    yield block;
  }
}

async function fill(
  block: Buffer,
  first: number,
  track: Track,
  speak: (cue: Cue) => Promise<Int16Array>,
): Promise<void> {
  const end = first + block.length / FRAME_BYTES;
  for (let at = first; at < end; ) {
    const cue = track.cues[track.next];
    const begins = cue ? frameOf(cue) : Number.POSITIVE_INFINITY;
    if (cue && begins <= at) {
      track.samples = await speak(cue);
      track.start = begins;
      track.next += 1;
      continue;
    }
    const until = Math.min(end, begins);
    const speechEnd = Math.min(until, track.start + track.samples.length);
    for (let frame = at; frame < speechEnd; frame += 1) {
      const sample = track.samples[frame - track.start] ?? 0;
      block.writeInt16LE(sample, (frame - first) * FRAME_BYTES + SAMPLE_OFFSET[track.speaker]);
    }
    at = until;
  }
}

const frameOf = ({ atMs }: Cue): number => Math.round((atMs * SAMPLE_RATE) / 1000);
