import { samplesIn } from '@parley/media';
import { concatenate } from '@parley/media/testing';
import { createFlite, type TextToSpeech } from '../../src/index.ts';
import { never } from '../conversation.ts';

/** A text as flite speaks it, at 16 kHz. */
export function flite(text: string, voiceId = 'slt'): Promise<Int16Array> {
  return collect(createFlite(), text, voiceId);
}

export async function collect(
  tts: TextToSpeech,
  text: string,
  voiceId?: string,
  signal = never,
): Promise<Int16Array> {
  const parts: Int16Array[] = [];
  const words = async function* () {
    yield text;
  };
  const given = { language: 'en-US', signal, ...(voiceId !== undefined && { voiceId }) };
  for await (const samples of tts.speak(words(), given)) parts.push(samples);
  return concatenate(parts);
}

export const silence = (ms: number, sampleRate = 16_000): Int16Array =>
  new Int16Array(samplesIn(ms, sampleRate));
