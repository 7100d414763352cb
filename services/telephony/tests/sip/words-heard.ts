import { shareOf } from '@parley/media/testing';
import { createPocketsphinx } from '@parley/speech';

/** Of baresip's recordings. */
const RATE = 16_000;
const MIN_SHARE = 0.8;

/** What pocketsphinx recognizes in a recording, which may be any of these phrases in any order. */
export async function wordsHeard(samples: Int16Array, phrases: readonly string[]): Promise<string> {
  const heard: string[] = [];
  let failure: unknown;
  const stream = createPocketsphinx().open({
    language: 'en',
    phrases,
    onResult: ({ text }) => void heard.push(text),
    onError: (error) => {
      failure = error;
    },
  });
  stream.push(samples);
  await stream.flush();
  stream.close();
  if (failure) throw failure;
  return heard.join(' ');
}

/** Whether a tone alone is heard for half a second somewhere in a recording. */
export function hasTone(samples: Int16Array, hz: number): boolean {
  for (let start = 0; start + RATE / 2 <= samples.length; start += RATE / 4) {
    const part = samples.subarray(start, start + RATE / 2);
    const isLoud = part.some((sample) => Math.abs(sample) > 3_000);
    if (isLoud && shareOf(hz, part, RATE) > MIN_SHARE) return true;
  }
  return false;
}
