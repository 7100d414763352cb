import type { ServerResponse } from 'node:http';
import { type Behaviour, later, refuse } from './provider-double.ts';

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
export async function sendSpeech(
  response: ServerResponse,
  audio: Buffer,
  behaviour: Behaviour,
): Promise<void> {
  if (behaviour.kind === 'status') return refuse(response, behaviour.status);
  if (behaviour.kind === 'hang') return;
  if (behaviour.kind === 'garbage') {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>');
    return;
  }
  if (behaviour.kind === 'slow') await later(behaviour.delayMs);
  response.writeHead(200, { 'content-type': 'audio/pcm' }).flushHeaders();
  if (behaviour.kind === 'slow') await later(behaviour.delayMs);
  for (let from = 0; from < audio.length; from += PIECE_BYTES) {
    if (behaviour.kind === 'break' && from > (behaviour.afterBytes ?? 0)) {
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
    if (response.destroyed || behaviour.kind === 'stall') return;
  }
  response.end();
}
