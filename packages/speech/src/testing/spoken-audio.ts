import type { ServerResponse } from 'node:http';
import { type Behavior, later, refuse } from './provider-double.ts';

/** The length of a double's speech. */
export const MS_PER_CHARACTER = 20;
const HERTZ = 440;
/** An odd number, so that chunks split 16-bit samples. */
const PIECE_BYTES = 3_001;

/** A tone instead of words: 16-bit little-endian. */
export function toneFor(text: string, sampleRate: number): Buffer {
  const samples = new Int16Array((text.length * MS_PER_CHARACTER * sampleRate) / 1_000);
  for (let i = 0; i < samples.length; i += 1) {
    samples[i] = Math.round(8_000 * Math.sin((2 * Math.PI * HERTZ * i) / sampleRate));
  }
  return Buffer.from(samples.buffer);
}

/** Answers a request for speech. */
export async function sendSpeech(response: ServerResponse, audio: Buffer, behavior: Behavior): Promise<void> {
  if (behavior.kind === 'status') return refuse(response, behavior.status);
  if (behavior.kind === 'hang') return;
  if (behavior.kind === 'garbage') {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>');
    return;
  }
  if (behavior.kind === 'slow') await later(behavior.delayMs);
  response.writeHead(200, { 'content-type': 'audio/pcm' }).flushHeaders();
  if (behavior.kind === 'slow') await later(behavior.delayMs);
  for (let from = 0; from < audio.length; from += PIECE_BYTES) {
    if (behavior.kind === 'break' && from > (behavior.afterBytes ?? 0)) {
      response.destroy();
      return;
    }
    const isTaken = response.write(audio.subarray(from, from + PIECE_BYTES));
    await new Promise<void>((resolve) => {
      if (isTaken) setImmediate(resolve);
      else {
        response.once('drain', resolve);
        response.once('close', resolve);
      }
    });
    if (response.destroyed || behavior.kind === 'stall') return;
  }
  response.end();
}
