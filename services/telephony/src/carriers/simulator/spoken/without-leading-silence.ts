import { FRAME_MS, levelDb, samplesIn } from '@parley/media';

export type Audio = { samples: Int16Array; sampleRate: number };

const SILENCE_DB = -50;

/** The audio from its first frame that is heard: synthesis begins with some silence. */
export function withoutLeadingSilence({ samples, sampleRate }: Audio): Audio {
  const frame = samplesIn(FRAME_MS, sampleRate);
  for (let from = 0; from < samples.length; from += frame)
    if (levelDb(samples.subarray(from, from + frame)) > SILENCE_DB)
      return { samples: samples.subarray(from), sampleRate };
  return { samples, sampleRate };
}
