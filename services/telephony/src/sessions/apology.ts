import type { Log } from '@parley/kit/log';
import { realTimer } from '@parley/kit/time';
import { type MediaSession, playStream } from '@parley/media';
import type { CallConfig } from '../assistants/call-config.ts';
import type { FindSpeech } from '../speech/find-speech.ts';
import { apologyIn } from './courtesies.ts';
import type { TurnRecord } from './recorded-port.ts';

type Scene = { session: MediaSession; config: CallConfig; record: TurnRecord; signal: AbortSignal };

/** Says that the call has to end; resolves when that was heard, or could not be said. */
export type Apologise = (scene: Scene) => Promise<void>;

const MAX_MS = 12_000;

/** The model has failed, so that a provider of speech says it, where the operator configured one. */
export function createApology(findSpeech: FindSpeech, log: Log): Apologise {
  return async ({ session, config, record, signal }) => {
    const late = new AbortController();
    const cancel = realTimer(MAX_MS, () => late.abort(new Error('the apology took too long')));
    const signals = AbortSignal.any([signal, late.signal]);
    const apology = apologyIn(config.language);
    try {
      const { tts, voice } = await findSpeech({ ...config, lineRate: session.sampleRate });
      const speech = tts.speak(words(apology), { ...voice, language: config.language, signal: signals });
      const { done } = playStream(session, speech, { sampleRate: tts.sampleRate });
      signals.addEventListener('abort', () => session.flush(), { once: true });
      const { playedMs } = await done;
      if (playedMs > 0) record.note({ role: 'agent', content: apology });
    } catch (err) {
      if (!signal.aborted) log.warn({ err }, 'no provider of speech can apologize');
    } finally {
      cancel();
    }
  };
}

async function* words(text: string): AsyncGenerator<string> {
  yield text;
}
