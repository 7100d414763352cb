import { withDeadline } from '@parley/kit/time';
import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { Media } from '../carriers/media.ts';
import { apologyIn } from '../speech/fixed-sentences.ts';
import { isSpeechError } from '../speech/is-speech-error.ts';
import type { Apologize } from './apology.ts';
import type { EventQueue } from './event-queue.ts';
import type { OwnEndCause } from './judge-end.ts';
import type { CallPort } from './open-live.ts';
import type { TurnRecord } from './turn-record.ts';

/** The line carries text, and the model only audio. */
export class NoAudioError extends Error {}

/** Why a conversation failed; all end the call with `error` [calls.20]. */
type Failure = Extract<OwnEndCause, 'no_audio' | 'model_failed' | 'no_speech' | 'failed'>;

const MESSAGES: Readonly<Record<Failure, string>> = {
  no_audio: 'a live model cannot talk on a line of text',
  model_failed: 'the live model of a call failed',
  no_speech: 'no provider of speech serves the call',
  failed: 'the call cannot continue',
};

/** Maximum duration of the apology. Real time. */
const MAX_APOLOGY_MS = 12_000;

type Options = {
  queue: EventQueue;
  media: Media;
  assistant: PreparedAssistant;
  /** A live model conducts the conversation. */
  isLive: boolean;
  turns: TurnRecord;
  /** Undefined: the conversation failed before it could speak. */
  port: CallPort | undefined;
  /** Apologizes through a speech provider when there is no port that can. Undefined: this worker carries no audio. */
  apologize: Apologize | undefined;
  hangUp: (cause: OwnEndCause) => void;
  /** The human is gone, or the call goes to another worker. */
  signal: AbortSignal;
};

/** Ends a call whose conversation failed, unless it is stopped before. A human gets an apology if a provider can still speak [calls.20]. */
export async function endFailedConversation(
  options: Options,
  err: unknown,
  to: 'human' | 'machine',
): Promise<void> {
  const { queue, assistant, isLive, hangUp, signal: stopped } = options;
  const { life, log } = queue;
  const failure = failureOf(err, isLive);
  log.error({ err, provider: assistant.config.model.provider }, MESSAGES[failure]);
  const apology = (signal: AbortSignal) => apologize(options, failure, signal);
  if (to === 'human')
    await withDeadline(MAX_APOLOGY_MS, apology, life.signal, stopped).catch((reason: unknown) => {
      if (!stopped.aborted) log.warn({ err: reason }, 'no provider of speech can apologize');
    });
  if (!stopped.aborted) hangUp(failure);
}

async function apologize(options: Options, failure: Failure, signal: AbortSignal): Promise<unknown> {
  const { queue, media, assistant, turns: record, port } = options;
  const { config } = assistant;
  if (failure === 'no_speech' && port) return port.say(apologyIn(config.language), signal);
  if ((failure !== 'no_speech' && failure !== 'model_failed') || media.kind !== 'audio') return undefined;
  const { session } = media;
  return options.apologize?.({ callId: queue.call().id, session, config, record, signal });
}

function failureOf(err: unknown, isLive: boolean): Failure {
  if (err instanceof NoAudioError) return 'no_audio';
  if (!isSpeechError(err)) return 'failed';
  return isLive ? 'model_failed' : 'no_speech';
}
