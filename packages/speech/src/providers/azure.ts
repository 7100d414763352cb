import { z } from 'zod';
import type { SpeechToText, TextToSpeech } from '../ports.ts';
import { malformed } from './failures.ts';
import { clamp, type ProviderAccount, primaryLanguage } from './limits.ts';
import { wavOf } from './pcm.ts';
import { jsonOf, post } from './post.ts';
import { createSentenceSpeech } from './sentence-speech.ts';
import { createUtteranceRecognition } from './utterance-recognition.ts';

const NAME = 'azure';
const HEARING_RATE = 16_000;
const SPEAKING_RATE = 24_000;
const DEFAULT_VOICES: Record<string, string> = {
  en: 'en-US-JennyNeural',
  de: 'de-DE-KatjaNeural',
  es: 'es-ES-ElviraNeural',
  fr: 'fr-FR-DeniseNeural',
  it: 'it-IT-ElsaNeural',
  nl: 'nl-NL-FennaNeural',
  pt: 'pt-BR-FranciscaNeural',
};

export type AzureAccount = ProviderAccount & { readonly defaultVoice?: string | undefined };

const recognition = z.object({ RecognitionStatus: z.string(), DisplayText: z.string().default('') });
/** Results without words. */
const WORDLESS = ['NoMatch', 'InitialSilenceTimeout', 'BabbleTimeout'];

/** https://learn.microsoft.com/azure/ai-services/speech-service/rest-text-to-speech */
export function createAzureSpeech(account: AzureAccount): TextToSpeech {
  return createSentenceSpeech({
    name: NAME,
    sampleRate: SPEAKING_RATE,
    limits: account.limits,
    request: ({ text, voiceId, speed, language }, signal) => {
      const voice =
        voiceId ??
        account.defaultVoice ??
        DEFAULT_VOICES[primaryLanguage(language)] ??
        DEFAULT_VOICES.en ??
        '';
      const headers = {
        ...authorization(account),
        'content-type': 'application/ssml+xml',
        'x-microsoft-outputformat': 'raw-24khz-16bit-mono-pcm',
        'user-agent': 'parley',
      };
      const url = urlOf(account, 'tts', '/cognitiveservices/v1');
      const { apiKey: key } = account;
      return post({ provider: NAME, url, headers, key, body: ssml(text, voice, speed) }, signal);
    },
  });
}

function ssml(text: string, voice: string, speed: number): string {
  const language = /^[a-z]{2,3}-[A-Z]{2}/.exec(voice)?.[0] ?? 'en-US';
  const spoken =
    speed === 1 ? escapeXml(text) : `<prosody rate="${clamp(speed, 0.5, 2)}">${escapeXml(text)}</prosody>`;
  return (
    `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="${language}">` +
    `<voice name="${escapeXml(voice)}">${spoken}</voice></speak>`
  );
}

/** https://learn.microsoft.com/azure/ai-services/speech-service/rest-speech-to-text-short */
export function createAzureRecognition(account: AzureAccount): SpeechToText {
  return createUtteranceRecognition({
    name: NAME,
    sampleRate: HEARING_RATE,
    limits: account.limits,
    // The interface takes neither phrases nor a model.
    transcribe: async (pcm, { language }, signal) => {
      const url = urlOf(account, 'stt', '/speech/recognition/conversation/cognitiveservices/v1');
      url.searchParams.set('language', language);
      const headers = {
        ...authorization(account),
        'content-type': `audio/wav; codecs=audio/pcm; samplerate=${HEARING_RATE}`,
        accept: 'application/json',
      };
      const { apiKey: key } = account;
      const body = wavOf(pcm, HEARING_RATE);
      const response = await post({ provider: NAME, url, headers, key, body }, signal);
      const { success, data } = recognition.safeParse(await jsonOf(NAME, response, signal));
      if (!success) throw malformed(NAME, 'the answer is not of its protocol');
      const { RecognitionStatus: status, DisplayText: text } = data;
      if (status === 'Success') return text.trim();
      if (WORDLESS.includes(status)) return '';
      throw malformed(NAME, `the recognition ended with ${status}`);
    },
  });
}

function authorization({ apiKey }: AzureAccount): Record<string, string> {
  return apiKey === undefined ? {} : { 'ocp-apim-subscription-key': apiKey };
}

/** An address of a region has a host for each service; that of a resource has a path for each. */
function urlOf({ baseUrl }: AzureAccount, service: 'tts' | 'stt', path: string): URL {
  const region = /^https:\/\/([a-z0-9]+)\.(?:api\.cognitive|tts\.speech|stt\.speech)\.microsoft\.com$/.exec(
    baseUrl,
  )?.[1];
  if (region !== undefined) return new URL(`https://${region}.${service}.speech.microsoft.com${path}`);
  return new URL(`${baseUrl}/${service}${path}`);
}

function escapeXml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
