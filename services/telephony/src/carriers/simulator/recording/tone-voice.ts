import { draw } from '../draw.ts';
import { speakingMs } from '../human.ts';
import { SAMPLE_RATE } from './voice.ts';

const LOWEST_HERTZ = { user: 170, agent: 300 } as const;
const RANGE_HERTZ = 120;
const LOUDNESS = 8_000;
/** Fades in and out, to avoid a click at each tone. */
const EDGE = SAMPLE_RATE / 100;
/** The share of a word's time with a tone; the rest is a pause. */
const TONE_SHARE = 0.8;

/**
 * Speech as tones, one per word: the same text always has the same sound and duration as in the simulated conversation. It has
 * no dependencies.
 */
export async function toneVoice(text: string, speaker: 'user' | 'agent'): Promise<Int16Array> {
  const samples = new Int16Array(Math.round((speakingMs(text) * SAMPLE_RATE) / 1000));
  const words = text.split(/\s+/).filter((word) => word !== '');
  const letters = words.reduce((sum, { length }) => sum + length, 0);
  let spoken = 0;
  for (const word of words) {
    const start = Math.floor((spoken / letters) * samples.length);
    spoken += word.length;
    const end = Math.floor((spoken / letters) * samples.length);
    const hertz = LOWEST_HERTZ[speaker] + draw(word.toLowerCase(), 'pitch', RANGE_HERTZ);
    addTone(samples.subarray(start, start + Math.floor((end - start) * TONE_SHARE)), hertz);
  }
  return samples;
}

function addTone(samples: Int16Array, hertz: number): void {
  const step = (2 * Math.PI * hertz) / SAMPLE_RATE;
  for (let i = 0; i < samples.length; i += 1) {
    const edge = Math.min(1, i / EDGE, (samples.length - i) / EDGE);
    samples[i] = Math.round(Math.sin(i * step) * LOUDNESS * edge);
  }
}
