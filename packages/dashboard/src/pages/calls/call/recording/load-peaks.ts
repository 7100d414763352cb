import { type Peaks, readPeaks } from './wav-peaks.ts';

const BUCKETS = 1_200;
/** Half an hour of wideband audio: beyond that the waveform is not worth what it takes to load. */
const MAX_BYTES = 120 * 1024 * 1024;

/** `too-long`: the recording can be played, and has no waveform. */
export type LoadedPeaks = Peaks | 'too-long';

/** The waveform of a recording. Rejects if the recording cannot be loaded. */
export async function loadPeaks(url: string, signal: AbortSignal): Promise<LoadedPeaks> {
  // The link is signed, like that of the player, so the request needs no session.
  const response = await fetch(url, { signal });
  if (!response.ok || !response.body) throw new Error(`The recording answered ${response.status}`);
  const bytes = Number(response.headers.get('content-length') ?? 0);
  if (bytes > MAX_BYTES) {
    await response.body.cancel();
    return 'too-long';
  }
  const peaks = await readPeaks(response.body, bytes || Number.MAX_SAFE_INTEGER, BUCKETS);
  if (!peaks) throw new Error('The recording is in a format without a waveform');
  return { ...peaks, channels: amplify(peaks.channels) };
}

/** Every channel by the same factor, so that quiet calls can be seen. */
function amplify(channels: number[][]): number[][] {
  const highest = channels.flat().reduce((a, b) => Math.max(a, b), 0.05);
  return channels.map((levels) => levels.map((level) => level / highest));
}
