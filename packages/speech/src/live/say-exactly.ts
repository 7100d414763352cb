import type { MediaSession } from '@parley/media';
import { SpeechError } from '../ports.ts';
import { isTemporary, timedOut } from '../providers/failures.ts';
import { after, untilAborted } from '../providers/waiting.ts';
import { type LiveAnswer, type LiveSpoken, startLiveAnswer } from './live-answer.ts';
import type { LiveEvent, LiveModel, LiveSetup } from './live-model.ts';
import type { AnswerTurn } from './live-turns.ts';

const INSTRUCTIONS =
  'You read texts aloud on a phone line. Say exactly the text that you are given, in its language, and nothing else.';

type Options = {
  media: MediaSession;
  model: LiveModel;
  setup: LiveSetup;
  /** Each attempt is a turn of its own. */
  beginTurn: () => AnswerTurn;
  timeoutMs: number;
  signal: AbortSignal;
  /** Whether the human has talked over it long enough to interrupt it. */
  wasTalkedOver: (nowMs: number) => boolean;
  onFailure: (failure: SpeechError) => void;
};

/**
 * The model says a text over a separate connection without input audio, so that it says exactly the text, independent of the
 * conversation. Retried once. Each attempt is a turn of its own.
 */
export async function sayExactly(text: string, options: Options): Promise<LiveSpoken> {
  try {
    return await sayOnce(text, options);
  } catch (err) {
    options.signal.throwIfAborted();
    if (!isTemporary(err)) throw err;
    options.onFailure(err);
    return sayOnce(text, options);
  }
}

async function sayOnce(text: string, options: Options): Promise<LiveSpoken> {
  const { model, setup, timeoutMs, signal } = options;
  const failure = new AbortController();
  const fail = (reason: unknown): void => failure.abort(reason);
  const over = AbortSignal.any([signal, failure.signal]);
  let stopTimer = (): void => {};
  const restartTimer = (): void => {
    stopTimer();
    stopTimer = after(timeoutMs, () => fail(timedOut(model.name, 'the model does not answer')));
  };
  const speech = playAnswer(options);
  const onEvent = (event: LiveEvent): void => {
    restartTimer();
    try {
      speech.onEvent(event);
    } catch (err) {
      fail(err);
    }
  };
  const opening = { ...setup, instructions: INSTRUCTIONS, tools: [], handle: null, history: [] };
  try {
    const connection = await model.connect(opening, { onEvent, onFailure: fail }, signal);
    restartTimer();
    connection.respond(`Say exactly this: ${text}`);
    await untilAborted(speech.arrived, over).finally(() => connection.close());
    stopTimer();
    return await untilAborted(speech.finishPlaying(), over);
  } catch (err) {
    speech.interrupt();
    throw err;
  } finally {
    stopTimer();
    await speech.record();
  }
}

/** Plays what the model says, as a turn of its own. */
function playAnswer({ media, model, beginTurn, wasTalkedOver }: Options) {
  const turn = beginTurn();
  let answer: LiveAnswer | undefined;
  let onArrived = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    onArrived = resolve;
  });
  const start = (id: string): LiveAnswer =>
    startLiveAnswer(media, {
      id,
      provider: model.name,
      sampleRate: model.speakingRate,
      onFirstAudio: turn.begin,
      onWords: turn.words,
    });
  const stopWatching = media.onFrame(({ atMs }) => {
    if (answer && wasTalkedOver(atMs)) answer.interrupt();
  });
  return {
    /** Resolves when the model has said everything. */
    arrived,
    onEvent: (event: LiveEvent): void => {
      if (event.type === 'done') onArrived();
      if (event.type !== 'audio' && event.type !== 'said') return;
      answer ??= start(event.answer);
      if (event.type === 'audio') answer.write(event.samples);
      else answer.say(event.text);
    },
    /** Call when all audio has arrived. Resolves when it was played, or interrupted. */
    finishPlaying: async (): Promise<LiveSpoken> => {
      if (!answer) throw new SpeechError(model.name, 'protocol', 'the model said nothing');
      answer.end();
      return answer.done;
    },
    interrupt: (): void => answer?.interrupt(),
    /** Resolves when what was heard is recorded; to be called once, when no more is played. */
    record: async (): Promise<void> => {
      stopWatching();
      const heard = await answer?.done;
      if (heard) await turn.end(heard);
    },
  };
}
