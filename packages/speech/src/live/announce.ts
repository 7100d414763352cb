import type { MediaSession } from '@parley/media';
import { SpeechError } from '../ports.ts';
import { isTemporary, timedOut } from '../providers/failures.ts';
import { after } from '../providers/waiting.ts';
import { type LiveAnswer, type LiveSpoken, startLiveAnswer } from './live-answer.ts';
import type { LiveEvent, LiveModel, LiveSetup } from './live-model.ts';
import type { AnswerTurn } from './live-turns.ts';

const INSTRUCTIONS =
  'You read texts aloud on a phone line. Say exactly the text that you are given, in its language, and nothing else.';

type Options = {
  media: MediaSession;
  model: LiveModel;
  setup: LiveSetup;
  /** The turn of an attempt. */
  beginTurn: () => AnswerTurn;
  timeoutMs: number;
  signal: AbortSignal;
  /** Whether the human has talked over it long enough to interrupt it. */
  isOverSpoken: (nowMs: number) => boolean;
  onFailure: (failure: SpeechError) => void;
};

/**
 * The model says a text over a separate connection without input audio, so that it says exactly the text, independent of the
 * conversation. Retried once; what was heard of a failed attempt is a turn of its own.
 */
export async function announce(text: string, options: Options): Promise<LiveSpoken> {
  try {
    return await speakAlone(text, options);
  } catch (err) {
    options.signal.throwIfAborted();
    if (!isTemporary(err)) throw err;
    options.onFailure(err);
    return speakAlone(text, options);
  }
}

async function speakAlone(text: string, options: Options): Promise<LiveSpoken> {
  const { media, model, setup, timeoutMs, signal, isOverSpoken } = options;
  const turn = options.beginTurn();
  const { promise: failed, reject: fail } = createFailure();
  let answer: LiveAnswer | undefined;
  let cancelTimeout = (): void => {};
  let isDone = (): void => {};
  const done = new Promise<void>((resolve) => {
    isDone = resolve;
  });
  const expect = (): void => {
    cancelTimeout();
    cancelTimeout = after(timeoutMs, () => fail(timedOut(model.name, 'the model does not answer')));
  };
  const start = (id: string): LiveAnswer =>
    startLiveAnswer(media, {
      id,
      sampleRate: model.speakingRate,
      onFirstAudio: turn.begin,
      onWords: turn.words,
    });
  const onEvent = (event: LiveEvent): void => {
    expect();
    if (event.type === 'done') isDone();
    if (event.type !== 'audio' && event.type !== 'said') return;
    answer ??= start(event.answer);
    if (event.type === 'audio') answer.write(event.samples);
    else answer.say(event.text);
  };
  const onAbort = (): void => fail(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const stopWatching = media.onFrame(({ atMs }) => {
    if (answer && isOverSpoken(atMs)) answer.interrupt();
  });
  const opening = { ...setup, instructions: INSTRUCTIONS, tools: [], handle: null, history: [] };
  try {
    const connection = await model.connect(opening, { onEvent, onFailure: fail }, signal);
    expect();
    connection.respond(`Say exactly this: ${text}`);
    await Promise.race([done, failed]).finally(() => connection.close());
    cancelTimeout();
    if (!answer) throw new SpeechError(model.name, 'protocol', 'the model said nothing');
    answer.end();
    return await Promise.race([answer.done, failed]);
  } catch (err) {
    answer?.interrupt();
    throw err;
  } finally {
    cancelTimeout();
    stopWatching();
    signal.removeEventListener('abort', onAbort);
    const heard = await answer?.done;
    if (heard) await turn.end(heard);
  }
}

function createFailure(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject = (_: unknown): void => {};
  const promise = new Promise<never>((_, fail) => {
    reject = fail;
  });
  promise.catch(() => {});
  return { promise, reject };
}
