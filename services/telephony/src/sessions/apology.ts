import type { MediaSession } from '@parley/media';
import { startAnswer } from '@parley/speech';
import type { CallConfig } from '../assistants/call-config.ts';
import type { FindVoice } from '../speech/find-speech.ts';
import { apologyIn } from '../speech/fixed-sentences.ts';
import type { TurnRecord } from './turn-record.ts';

type ApologyCall = {
  callId: string;
  session: MediaSession;
  config: CallConfig;
  record: TurnRecord;
  signal: AbortSignal;
};

/** Apologizes before the call ends; resolves when that was heard, and rejects if not all of it could be spoken. Records what was heard. */
export type Apologize = (call: ApologyCall) => Promise<void>;

/** Uses any speech provider that can speak: the live model of the call has failed, or nothing recognizes speech. */
export function createApology(findVoice: FindVoice): Apologize {
  return async ({ callId, session, config, record, signal }) => {
    const { tts, voice } = await findVoice({ ...config, callId, lineRate: session.sampleRate });
    const apology = startAnswer(session, apologyIn(config.language), {
      tts,
      ...voice,
      language: config.language,
      signal,
      onText: () => {},
      onFirstAudio: () => {},
    });
    const { spoken, error } = await apology.done;
    if (spoken.text !== '' && spoken.firstAudioAtMs !== null)
      record.note({ role: 'agent', content: spoken.text, isInterrupted: false });
    signal.throwIfAborted();
    if (error !== undefined) throw error;
  };
}
