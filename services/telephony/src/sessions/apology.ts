import { type MediaSession, playStream } from '@parley/media';
import type { CallConfig } from '../assistants/call-config.ts';
import type { FindVoice } from '../speech/find-speech.ts';
import { apologyIn } from './courtesies.ts';
import type { TurnRecord } from './recorded-port.ts';

type ApologyCall = { session: MediaSession; config: CallConfig; record: TurnRecord; signal: AbortSignal };

/** Apologises before the call ends; resolves when that was heard, and rejects if it could not be spoken. */
export type Apologise = (call: ApologyCall) => Promise<void>;

/** Uses any speech provider that can speak: the live model of the call has failed, or nothing recognises speech. */
export function createApology(findVoice: FindVoice): Apologise {
  return async ({ session, config, record, signal }) => {
    const apology = apologyIn(config.language);
    const { tts, voice } = await findVoice({ ...config, lineRate: session.sampleRate });
    const speech = tts.speak(words(apology), { ...voice, language: config.language, signal });
    const { done } = playStream(session, speech, { sampleRate: tts.sampleRate });
    signal.addEventListener('abort', () => session.flush(), { once: true });
    const { playedMs } = await done;
    if (playedMs > 0) record.note({ role: 'agent', content: apology });
  };
}

async function* words(text: string): AsyncGenerator<string> {
  yield text;
}
