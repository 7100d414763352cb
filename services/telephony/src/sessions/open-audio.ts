import type { MediaSession } from '@parley/media';
import { loadVoiceActivity } from '@parley/speech';
import type { CallConfig } from '../assistants/call-config.ts';
import type { FindSpeech } from '../speech/find-speech.ts';
import { mediaClock } from '../speech/media-clock.ts';
import { phrasesOf } from '../speech/phrases-of.ts';
import type { WorkerMetrics } from '../worker-metrics.ts';
import type { Call } from './call.ts';
import { type AnswerDetection, detectAnswer } from './detect-answer.ts';
import type { RecordedPort } from './recorded-port.ts';
import { recordedSpeech } from './recorded-speech.ts';
import { traceAnswer } from './trace-of-call.ts';
import type { TurnRecord } from './turn-record.ts';

type AudioCall = {
  session: MediaSession;
  config: CallConfig;
  call: Pick<Call, 'id' | 'workspaceId' | 'traceparent' | 'dynamicVariables'>;
  record: TurnRecord;
  onKeys: (digits: string) => void;
  /** Undefined: a machine is treated like a human. */
  detection?: AnswerDetection | undefined;
};

/** Opens the conversation of a call with audio. Rejects if its assistant has no speech provider. */
export type OpenAudio = (call: AudioCall) => Promise<RecordedPort>;

/** Loaded only by workers with an audio carrier: voice activity detection alone takes 17 MB. */
export async function createOpenAudio(findSpeech: FindSpeech, metrics: WorkerMetrics): Promise<OpenAudio> {
  const vad = await loadVoiceActivity();
  return async ({ session, config, call, record, onKeys, detection }) => {
    const { endpointing, interruption } = config.settings;
    const speech = await findSpeech({
      ...config,
      workspaceId: call.workspaceId,
      callId: call.id,
      lineRate: session.sampleRate,
    });
    return recordedSpeech(session, {
      speech,
      vad,
      clock: mediaClock,
      language: config.language,
      phrases: phrasesOf(config.transcriber.keywords, call.dynamicVariables),
      turns: {
        silenceMs: endpointing.silenceMs,
        interruptible: interruption.enabled,
        minSpeechMs: interruption.minSpeechMs,
      },
      record,
      onKeys,
      ...(detection && { onEvent: detectAnswer(session, detection) }),
      onLatency: (latency, spokenBy) => {
        const providers = { ...spokenBy, model: config.model.provider };
        metrics.answered(latency, providers);
        traceAnswer(call, latency, { nowMs: mediaClock.nowMs(), providers });
      },
    });
  };
}
