import type { SpeechToText, TextToSpeech } from '@parley/speech';
import { createSpeechProviders } from '@parley/speech/providers';
import type { Double } from './protocol.ts';

const providers = new Map<string, Awaited<ReturnType<typeof createSpeechProviders>>>();

/** Loads the Deepgram adapters of telephony, with the address of a double. */
export async function loadDeepgram({ url, key }: Double): Promise<void> {
  const list = [{ name: 'deepgram', type: 'deepgram' as const, base_url: url, api_key: key }];
  providers.set(url, await createSpeechProviders(list, {}));
}

/** For lines of telephones, as in telephony. */
export function deepgramAt({ url }: Double): { stt: SpeechToText; tts: TextToSpeech } {
  const stt = providers.get(url)?.hearing()?.first;
  const tts = providers.get(url)?.speaking()?.first;
  if (!stt || !tts) throw new Error('loadDeepgram was not called');
  return { stt: stt.forLine?.(8_000) ?? stt, tts };
}
