import { type Peaks, readPeaks } from './wav-peaks.ts';

const BUCKETS = 1_200;
/** Half an hour of wideband audio: beyond that the waveform is not worth what it takes to load. */
const MAX_BYTES = 120 * 1024 * 1024;

/** `too-long`: the recording can be played, and has no waveform. */
export type LoadedPeaks = Peaks | 'too-long';

/** The waveform of a recording. Rejects if the recording cannot be loaded. */
export async function loadPeaks(url: string, signal: AbortSignal): Promise<LoadedPeaks> {
  // A signed link, as the player's: it is no route of the client, and takes no session.
  const response = await fetch(url, { signal });
  if (!response.ok || !response.body) throw new Error(`The recording answered ${response.status}`);
  const bytes = Number(response.headers.get('content-length') ?? 0);
  if (bytes > MAX_BYTES) {
    await response.body.cancel();
    return 'too-long';
  }
  const peaks = await readPeaks(response.body, bytes || Number.MAX_SAFE_INTEGER, BUCKETS);
  if (!peaks) throw new Error('The recording is in a format without a waveform');
  return { ...peaks, channels: peaks.channels.map(louder) };
}

/** Both channels by the same factor, so that quiet calls can be seen. */
function louder(channel: number[], _index: number, all: number[][]): number[] {
  const highest = Math.max(0.05, ...all.map((levels) => levels.reduce((a, b) => Math.max(a, b), 0)));
  return channel.map((level) => level / highest);
}
