import { openNameless } from '@parley/kit/files';
import { SpeechError, type TextToSpeech } from '../ports.ts';
import { sentencesOf } from '../voice/sentences.ts';
import { requireProgram, runProgram } from './program.ts';

const NAME = 'flite';
const SAMPLE_RATE = 16_000;
const WAV_HEADER_BYTES = 44;

/** The voices of Debian's flite that speak at 16 kHz; the first one is the default. All of them speak American English. */
export const FLITE_VOICES = [
  { id: 'slt', name: 'Slt', gender: 'female', language: 'en-US' },
  { id: 'rms', name: 'Rms', gender: 'male', language: 'en-US' },
  { id: 'awb', name: 'Awb', gender: 'male', language: 'en-US' },
  { id: 'kal16', name: 'Kal', gender: 'male', language: 'en-US' },
] as const;

/** Rejects with SpeechError if flite is not installed. */
export const checkFlite = (): Promise<void> => requireProgram(NAME, NAME);

/**
 * Text to speech by the program `flite`: one process of about 50 ms for each sentence, killed when the signal aborts. Rejects with SpeechError:
 * `request` for a voice that it doesn't have, `unavailable` if it isn't installed or fails.
 */
export function createFlite(): TextToSpeech {
  return {
    name: NAME,
    sampleRate: SAMPLE_RATE,
    async *speak(text, { voiceId = FLITE_VOICES[0].id, speed = 1, signal }) {
      if (!FLITE_VOICES.some(({ id }) => id === voiceId)) {
        throw new SpeechError(NAME, 'request', `Unknown voice: ${voiceId}`);
      }
      for await (const sentence of sentencesOf(text)) {
        signal.throwIfAborted();
        yield* speakSentence(sentence.trim(), voiceId, speed, signal);
      }
    },
  };
}

/** By files: every user of the machine can read the arguments of a process. */
async function* speakSentence(
  sentence: string,
  voiceId: string,
  speed: number,
  signal: AbortSignal,
): AsyncGenerator<Int16Array> {
  const stretch = `duration_stretch=${1 / speed}`;
  const [text, speech] = await Promise.all([openNameless(), openNameless()]);
  try {
    await text.writeFile(sentence);
    const args = ['-voice', voiceId, '--setf', stretch, '-f', '/dev/fd/3', '-o', '/dev/fd/4'];
    await runProgram(NAME, NAME, args, { files: [text.fd, speech.fd], signal });
    yield* pcmOf(speech.createReadStream({ start: 0, autoClose: false }));
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await Promise.all([text.close(), speech.close()]);
  }
}

/** The samples of a WAV file as it arrives. */
async function* pcmOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Int16Array> {
  let header = WAV_HEADER_BYTES;
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk.subarray(header)]);
    header = Math.max(0, header - chunk.length);
    const samples = new Int16Array(bytes.length >> 1);
    for (let i = 0; i < samples.length; i += 1) samples[i] = bytes.readInt16LE(2 * i);
    rest = bytes.subarray(2 * samples.length);
    if (samples.length > 0) yield samples;
  }
}
