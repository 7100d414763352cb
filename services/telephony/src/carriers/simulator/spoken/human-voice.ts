import type { Log } from '@parley/kit/log';
import { concatenate } from '@parley/media';
import { createFlite } from '@parley/speech';
import { toneVoice } from '../recording/tone-voice.ts';
import { SAMPLE_RATE } from '../recording/voice.ts';
import type { HumanVoice } from './spoken-human.ts';

/** Differs from the assistant's default voice. */
const VOICE_ID = 'rms';

/** Speech by flite if it is installed; tones otherwise. */
export function createHumanVoice(log: Log): HumanVoice {
  const flite = createFlite();
  let isMissing = false;
  return async (line, signal) => {
    if (!isMissing) {
      try {
        const chunks: Int16Array[] = [];
        const options = { voiceId: VOICE_ID, language: 'en-US', signal };
        for await (const chunk of flite.speak(words(line), options)) chunks.push(chunk);
        return { samples: concatenate(chunks), sampleRate: flite.sampleRate };
      } catch (err) {
        signal.throwIfAborted();
        log.info({ err }, 'simulated humans speak in tones');
        isMissing = true;
      }
    }
    return tones(line, signal);
  };
}

export const tones: HumanVoice = async (line) => ({
  samples: await toneVoice(line, 'user'),
  sampleRate: SAMPLE_RATE,
});

async function* words(line: string): AsyncGenerator<string> {
  yield line;
}
