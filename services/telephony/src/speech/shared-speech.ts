import { SpeechError, type SpokenWord, type TextToSpeech } from '@parley/speech';

export type SpeakOptions = Parameters<TextToSpeech['speak']>[1];

/** Of one sentence: about a minute and a half at 24 kHz. */
const MAX_BYTES = 4 * 1_024 * 1_024;

/** A sentence that is being synthesized ahead, for all calls that are about to say it. Its request is aborted when none is left. */
export type SharedSpeech = {
  /** The call is going to say it, unless the signal aborts before. Resolves when the synthesis is over, also by a failure. */
  expect(callId: string, signal: AbortSignal): Promise<void>;
  /** The call says it now: yields all of it, from its beginning, as it arrives. Rejects like `speak`. */
  listen(callId: string, options: SpeakOptions): AsyncGenerator<Int16Array>;
};

/** `onOver` is called once, before the request is aborted or when it has ended. */
export function startSharedSpeech(
  name: string,
  request: (
    options: Pick<SpeakOptions, 'signal'> & Required<Pick<SpeakOptions, 'onWord' | 'onRestart'>>,
  ) => AsyncIterable<Int16Array>,
  onOver: () => void,
): SharedSpeech {
  const stop = new AbortController();
  const audio: Int16Array[] = [];
  let bytes = 0;
  let words: SpokenWord[] = [];
  let outcome: { error?: unknown } | undefined;
  const expecting = new Set<string>();
  let listeners = 0;
  const waiting = new Set<() => void>();

  const change = (): void => {
    for (const resolve of [...waiting]) resolve();
  };
  const finish = (given: { error?: unknown }): void => {
    if (outcome) return;
    outcome = given;
    onOver();
    change();
  };
  const leave = (): void => {
    if (outcome || listeners > 0 || expecting.size > 0) return;
    const error = new Error('No longer needed');
    finish({ error });
    stop.abort(error);
  };
  /** Resolves when there is more, or the signal aborts. */
  const untilChange = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        waiting.delete(end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      waiting.add(end);
      signal.addEventListener('abort', end);
    });

  const synthesize = async (): Promise<void> => {
    const spoken = request({
      signal: stop.signal,
      onWord: (word) => words.push(word),
      onRestart: () => {
        words = [];
      },
    });
    for await (const samples of spoken) {
      audio.push(samples);
      bytes += samples.byteLength;
      if (bytes > MAX_BYTES) throw new SpeechError(name, 'protocol', 'the audio of a sentence does not end');
      change();
    }
  };
  const done = synthesize().then(
    () => finish({}),
    (error: unknown) => finish({ error }),
  );

  return {
    async expect(callId, signal) {
      const end = (): void => {
        expecting.delete(callId);
        leave();
      };
      expecting.add(callId);
      signal.addEventListener('abort', end);
      await done;
      signal.removeEventListener('abort', end);
    },
    async *listen(callId, { signal, onWord, onRestart }) {
      expecting.delete(callId);
      listeners += 1;
      let known = words;
      let [reported, taken] = [0, 0];
      try {
        for (;;) {
          signal.throwIfAborted();
          if (known !== words) {
            onRestart?.();
            [known, reported] = [words, 0];
          }
          for (const word of known.slice(reported)) onWord?.(word);
          reported = known.length;
          const samples = audio[taken];
          if (samples) {
            taken += 1;
            // The receiver may change what it gets.
            yield samples.slice();
          } else if (!outcome) await untilChange(signal);
          else if ('error' in outcome) throw outcome.error;
          else return;
        }
      } finally {
        listeners -= 1;
        leave();
      }
    },
  };
}
