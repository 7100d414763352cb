import { SpeechError, type SpeechToText, type TextToSpeech } from '../ports.ts';

// The code of a provider knows its type. Failures, logs and metrics carry the name that the operator gave it: several may be of one type.

export function namedVoice(tts: TextToSpeech, name: string): TextToSpeech {
  async function* speaking(audio: AsyncIterable<Int16Array>): AsyncGenerator<Int16Array> {
    try {
      yield* audio;
    } catch (err) {
      throw err instanceof SpeechError ? named(err, name) : err;
    }
  }
  return { ...tts, name, speak: (text, options) => speaking(tts.speak(text, options)) };
}

export function namedRecognition(stt: SpeechToText, name: string): SpeechToText {
  return {
    ...stt,
    name,
    ...(stt.forLine && { forLine: (rate: number) => namedRecognition(stt.forLine?.(rate) ?? stt, name) }),
    open: (options) => stt.open({ ...options, onError: (err) => options.onError(named(err, name)) }),
  };
}

function named(err: SpeechError, name: string): SpeechError {
  return err.provider === name ? err : new SpeechError(name, err.kind, err.reason, { cause: err.cause });
}
