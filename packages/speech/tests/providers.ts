import type { SpeechToText, TextToSpeech } from '../src/index.ts';
import { createAzureRecognition, createAzureSpeech } from '../src/providers/azure.ts';
import { createCartesiaRecognition, createCartesiaSpeech } from '../src/providers/cartesia.ts';
import { createDeepgramRecognition, createDeepgramSpeech } from '../src/providers/deepgram.ts';
import { createElevenLabsRecognition, createElevenLabsSpeech } from '../src/providers/elevenlabs.ts';
import { createGoogleRecognition, createGoogleSpeech } from '../src/providers/google.ts';
import type { ProviderAccount } from '../src/providers/limits.ts';
import { createOpenAiRecognition, createOpenAiSpeech } from '../src/providers/openai.ts';
import {
  createAzureDouble,
  createCartesiaDouble,
  createDeepgramDouble,
  createElevenLabsDouble,
  createGoogleDouble,
  createOpenAiDouble,
  type ProviderDouble,
} from '../src/testing/index.ts';

export type TestedProvider = {
  name: string;
  createDouble(): Promise<ProviderDouble>;
  createSpeech(account: ProviderAccount): TextToSpeech;
  createRecognition(account: ProviderAccount): SpeechToText;
  hasInterim: boolean;
};

export const PROVIDERS: readonly TestedProvider[] = [
  {
    name: 'openai',
    createDouble: createOpenAiDouble,
    createSpeech: createOpenAiSpeech,
    createRecognition: createOpenAiRecognition,
    hasInterim: false,
  },
  {
    name: 'deepgram',
    createDouble: createDeepgramDouble,
    createSpeech: createDeepgramSpeech,
    createRecognition: createDeepgramRecognition,
    hasInterim: true,
  },
  {
    name: 'elevenlabs',
    createDouble: createElevenLabsDouble,
    createSpeech: createElevenLabsSpeech,
    createRecognition: createElevenLabsRecognition,
    hasInterim: true,
  },
  {
    name: 'cartesia',
    createDouble: createCartesiaDouble,
    createSpeech: createCartesiaSpeech,
    createRecognition: createCartesiaRecognition,
    hasInterim: true,
  },
  {
    name: 'google',
    createDouble: createGoogleDouble,
    createSpeech: createGoogleSpeech,
    createRecognition: createGoogleRecognition,
    hasInterim: false,
  },
  {
    name: 'azure',
    createDouble: createAzureDouble,
    createSpeech: createAzureSpeech,
    createRecognition: createAzureRecognition,
    hasInterim: false,
  },
];

/** For tests in which a provider says nothing: they wait for it. */
export const IMPATIENT = { connectMs: 400, silenceMs: 400 };
/** For the others, on a busy machine. */
export const PATIENT = { connectMs: 60_000, silenceMs: 60_000 };

export async function until(condition: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('It did not become true in time');
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}

export function toneAt(sampleRate: number, ms: number): Int16Array {
  return Int16Array.from({ length: (sampleRate * ms) / 1_000 }, (_, i) => 6_000 * Math.sin(i / 8));
}
