import { z } from 'zod';
import type { SpeechToText, TextToSpeech } from '../ports.ts';
import { acceptedPhrases } from './accepted-phrases.ts';
import { malformed } from './failures.ts';
import { clamp, type ProviderAccount } from './limits.ts';
import { jsonOf, post } from './post.ts';
import { createSentenceSpeech } from './sentence-speech.ts';
import { createUtteranceRecognition } from './utterance-recognition.ts';

const NAME = 'google';
const HEARING_RATE = 16_000;
const SPEAKING_RATE = 24_000;
const PHRASES = { count: 500, characters: 100 };

export type GoogleAccount = ProviderAccount & {
  /** By default `latest_long`. */
  readonly hearingModel?: string | undefined;
  /** By default one of Google's choice for the language. */
  readonly defaultVoice?: string | undefined;
};

const speech = z.object({ audioContent: z.base64().min(1) });
const recognition = z.object({
  results: z
    .array(z.object({ alternatives: z.array(z.object({ transcript: z.string().default('') })).default([]) }))
    .default([]),
});

/** https://docs.cloud.google.com/text-to-speech/docs/reference/rest/v1/text/synthesize */
export function createGoogleSpeech(account: GoogleAccount): TextToSpeech {
  return createSentenceSpeech({
    name: NAME,
    sampleRate: SPEAKING_RATE,
    limits: account.limits,
    request: async ({ text, voiceId = account.defaultVoice, speed, language }, signal) => {
      // Google's names begin with their language: "en-US-Chirp3-HD-Aoede".
      const ofVoice = /^[a-z]{2,3}-[A-Z]{2}(?=-)/.exec(voiceId ?? '')?.[0];
      const body = {
        input: { text },
        voice: { languageCode: ofVoice ?? language, ...(voiceId !== undefined && { name: voiceId }) },
        audioConfig: {
          audioEncoding: 'LINEAR16',
          sampleRateHertz: SPEAKING_RATE,
          ...(speed !== 1 && { speakingRate: clamp(speed, 0.25, 2) }),
        },
      };
      const answer = await send(account, 'texttospeech', '/v1/text:synthesize', body, signal);
      const { success, data } = speech.safeParse(answer);
      if (!success) throw malformed(NAME, 'the answer has no audio');
      // A WAV file; its header is skipped like that of a local server.
      return new Response(Buffer.from(data.audioContent, 'base64'), {
        headers: { 'content-type': 'audio/wav' },
      });
    },
  });
}

/** https://docs.cloud.google.com/speech-to-text/docs/reference/rest/v1/speech/recognize */
export function createGoogleRecognition(account: GoogleAccount): SpeechToText {
  return createUtteranceRecognition({
    name: NAME,
    sampleRate: HEARING_RATE,
    limits: account.limits,
    transcribe: async (pcm, { language, phrases, model = account.hearingModel }, signal) => {
      const config = {
        encoding: 'LINEAR16',
        sampleRateHertz: HEARING_RATE,
        languageCode: language,
        model: model ?? 'latest_long',
        enableAutomaticPunctuation: true,
        ...(phrases.length > 0 && { speechContexts: [{ phrases: acceptedPhrases(phrases, PHRASES) }] }),
      };
      const body = { config, audio: { content: pcm.toString('base64') } };
      const answer = await send(account, 'speech', '/v1/speech:recognize', body, signal);
      const { success, data } = recognition.safeParse(answer);
      if (!success) throw malformed(NAME, 'the answer has no words');
      return data.results
        .map(({ alternatives: [best] }) => best?.transcript.trim() ?? '')
        .join(' ')
        .trim();
    },
  });
}

async function send(
  { baseUrl, apiKey: key }: GoogleAccount,
  service: 'speech' | 'texttospeech',
  path: string,
  body: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const url = new URL(baseUrl.replace('{service}', service) + path);
  const headers: Record<string, string> = key === undefined ? {} : { 'x-goog-api-key': key };
  const response = await post({ provider: NAME, url, headers, key, body }, signal);
  return jsonOf(NAME, response, signal);
}
