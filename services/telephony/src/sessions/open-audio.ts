import type { MediaSession } from '@parley/media';
import { loadVoiceActivity, SpeechError } from '@parley/speech';
import type { CallConfig } from '../assistants/call-config.ts';
import type { FindSpeech } from '../speech/find-speech.ts';
import { mediaClock } from '../speech/media-clock.ts';
import type { WorkerMetrics } from '../worker-metrics.ts';
import type { Call } from './call.ts';
import type { RecordedPort, TurnRecord } from './recorded-port.ts';
import { recordedSpeech } from './recorded-speech.ts';

export type AudioCall = {
  session: MediaSession;
  config: CallConfig;
  call: Pick<Call, 'dynamicVariables'>;
  record: TurnRecord;
  onKeys: (digits: string) => void;
};

/** Opens the conversation of a call that people hear. Rejects if no provider of speech serves its assistant. */
export type OpenAudio = (call: AudioCall) => Promise<RecordedPort>;

/** Words that the human is likely to say. */
const MAX_PHRASES = 50;
const MAX_PHRASE_CHARACTERS = 60;

/** Loaded only by workers with a carrier of audio: the voice activity detection alone takes 17 MB. */
export async function createOpenAudio(findSpeech: FindSpeech, metrics: WorkerMetrics): Promise<OpenAudio> {
  const vad = await loadVoiceActivity();
  return async ({ session, config, call, record, onKeys }) => {
    const speech = await findSpeech(config);
    if (session.sampleRate < (speech.stt.minLineRate ?? 0))
      throw new SpeechError(
        speech.stt.name,
        'request',
        'does not understand telephone audio: it needs a wideband line',
      );
    const providers = { stt: speech.stt.name, model: config.model.provider, tts: speech.tts.name };
    return recordedSpeech(session, {
      speech,
      vad,
      clock: mediaClock,
      language: config.language,
      phrases: phrasesOf(call.dynamicVariables),
      record,
      onKeys,
      onLatency: (latency) => metrics.answered(latency, providers),
    });
  };
}

function phrasesOf(variables: Readonly<Record<string, unknown>>): string[] {
  return Object.values(variables)
    .filter((value): value is string => typeof value === 'string')
    .filter((value) => value.trim() !== '' && value.length <= MAX_PHRASE_CHARACTERS)
    .slice(0, MAX_PHRASES);
}
