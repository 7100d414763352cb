import type { Log } from '@parley/kit/log';
import {
  checkFlite,
  checkPocketsphinx,
  createFallbackSpeechToText,
  createFallbackTextToSpeech,
  createFlite,
  createPocketsphinx,
  FLITE_VOICES,
  SpeechError,
  type SpeechToText,
} from '@parley/speech';
import { createSpeechProviders, type SpeechConfig } from '@parley/speech/providers';
import type { FindSpeech } from './find-speech.ts';
import { mediaClock } from './media-clock.ts';

/**
 * The providers that the operator configured, each with the others as its backups. What of the embedded ones is not installed is reported
 * once, here; a call whose assistant finds no provider ends and says so.
 */
export async function createFindSpeech(config: SpeechConfig, log: Log): Promise<FindSpeech> {
  const isThere = (check: () => Promise<void>): Promise<boolean> =>
    check().then(
      () => true,
      (err: unknown) => {
        log.warn({ err }, 'the embedded provider of speech is not installed');
        return false;
      },
    );
  const providers = await createSpeechProviders(config, {
    speaking: (await isThere(checkFlite)) ? createFlite() : undefined,
    hearing: (await isThere(checkPocketsphinx)) ? anyWords(createPocketsphinx()) : undefined,
  });
  const onFailure = (err: SpeechError): void => log.warn({ err }, 'a provider of speech failed');
  const options = { clock: mediaClock, onFailure };
  return async ({ voice, transcriber }) => {
    const speaking = providers.speaking(voice.provider);
    const hearing = providers.hearing(transcriber.provider);
    if (!speaking) throw missing('speak: VOICE_PROVIDERS');
    if (!hearing) throw missing('recognise speech: TRANSCRIBER_PROVIDERS');
    const voiceId = voiceIdFor(speaking.first.name, voice);
    return {
      stt: createFallbackSpeechToText(hearing.first, hearing.others, options),
      tts: createFallbackTextToSpeech(
        speaking.first,
        speaking.others.map((tts) => ({ tts })),
        options,
      ),
      voice: { speed: voice.speed, ...(voiceId !== undefined && { voiceId }) },
    };
  };
}

function missing(what: string): SpeechError {
  return new SpeechError('speech', 'unavailable', `No configured provider can ${what}`);
}

/** It would recognise the phrases and nothing else. */
function anyWords(stt: SpeechToText): SpeechToText {
  return { ...stt, open: ({ phrases: _, ...options }) => stt.open(options) };
}

/**
 * A provider knows its own voices alone: with a voice of another one, or a built-in one, it speaks in its default voice [assistants.20].
 */
function voiceIdFor(
  speaker: string,
  { provider, voiceId }: { provider?: string | undefined; voiceId: string },
): string | undefined {
  if (speaker === 'flite') return fliteVoiceOf(voiceId);
  return speaker === provider ? voiceId : undefined;
}

/** The standard voices of assistants are names only: flite has others. */
function fliteVoiceOf(voiceId: string): string {
  const known = FLITE_VOICES.find(({ id }) => id === voiceId) ?? FLITE_VOICES[0];
  return known.id;
}
