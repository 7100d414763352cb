import { realSleep } from '@parley/kit/time';
import type { MediaClock, MediaSession } from '@parley/media';
import {
  createSpokenPort,
  latencyOf,
  type SpokenEvent,
  type TurnSettings,
  type VoiceActivityFactory,
} from '@parley/speech';
import type { Heard, Spoken } from '../engines/text-port.ts';
import type { Speech } from '../speech/find-speech.ts';
import { createHumanTurns, pressedText } from './human-turns.ts';
import type { Entry, TurnLatency } from './ports.ts';
import { NOTHING_SAID, noteHeard, noteUnheard, type RecordedPort } from './recorded-port.ts';
import type { TurnRecord } from './turn-record.ts';

type Deps = {
  speech: Speech;
  vad: VoiceActivityFactory;
  clock: MediaClock;
  language: string;
  phrases: readonly string[];
  turns?: Partial<TurnSettings>;
  record: TurnRecord;
  /** The human entered keys. */
  onKeys: (digits: string) => void;
  onLatency: (latency: TurnLatency, providers: { stt: string; tts: string }) => void;
  /** Also receives all events. */
  onEvent?: (event: SpokenEvent) => void;
};

/** Maximum wait for the heard words of an aborted turn, which are known within a frame. Real time. */
const ABORTED_TURN_MS = 200;
/** Maximum wait for a human who is speaking or pressing keys when the call goes to another worker. */
const LAST_WORDS_MS = 3_000;
/** The record of a turn grows at the end of each sentence. */
const SENTENCE_END = /[.!?\n\u2026\u3002]/;

/** The conversation over audio: a turn is recorded when it begins and corrected to what was heard. */
export function recordedSpeech(media: MediaSession, deps: Deps): RecordedPort {
  const { speech, record, onKeys, onLatency, clock } = deps;
  let onSaid = (_: Spoken): void => {};
  let latency: TurnLatency | undefined;
  let saying: Promise<unknown> = Promise.resolve();

  const onEvent = (event: SpokenEvent): void => {
    deps.onEvent?.(event);
    if (event.type === 'said') onSaid(event.spoken);
    if (event.type !== 'answered') return;
    latency = latencyOf(event, event.firstAudioAtMs);
    onLatency(latency, event.providers);
  };
  const port = createSpokenPort({ ...deps, ...speech, media, onEvent });

  const correct = ({ entry, close }: Draft, { text: content, isInterrupted }: Spoken): void => {
    close();
    if (entry) record.correct(entry, { content, isInterrupted, ...(latency && { latency }) });
  };

  const speak = async (given: string | AsyncIterable<string>, signal: AbortSignal): Promise<Spoken> => {
    const draft = await draftOf(given, record);
    if (!draft) return NOTHING_SAID;
    latency = undefined;
    const said = new Promise<Spoken>((resolve) => {
      onSaid = resolve;
    });
    try {
      const spoken = await port.say(draft.words(), signal);
      correct(draft, spoken);
      return spoken;
    } catch (err) {
      const heard = await Promise.race([said, realSleep(ABORTED_TURN_MS)]);
      correct(draft, heard ?? NOTHING_SAID);
      throw err;
    }
  };

  const toTurn = (heard: Heard): Heard => {
    if (heard.source !== 'keys') return heard;
    onKeys(heard.text);
    return { ...heard, text: pressedText(heard.text) };
  };
  const turns = createHumanTurns((signal) => port.hear(signal).then(toTurn), clock.nowMs);

  return {
    press: (digits) => {
      for (const digit of digits) port.press(digit);
    },
    write: turns.write,
    settled: () => saying,
    letFinish: () => {
      turns.hold();
      return port.letFinish(LAST_WORDS_MS);
    },
    recordUnheard: async () => {
      const unheard = await turns.take();
      noteUnheard(record, [...unheard, ...port.takeUnheard().map(toTurn)]);
    },
    silentSinceMs: () => port.silentSinceMs,
    forget: port.forget,
    close: port.close,
    say: (given, signal) => {
      signal.throwIfAborted();
      const spoken = speak(given, signal);
      saying = spoken.catch(() => {});
      return spoken;
    },
    hear: async (signal) => noteHeard(record, await turns.next(signal), signal),
  };
}

type Draft = {
  entry: Entry | undefined;
  words(): AsyncIterable<string>;
  /** The heard words are known: later words no longer change the record. */
  close(): void;
};

/**
 * Starts the record of a turn with its first words; undefined: there are none. If the stream fails later, the words so far are the
 * turn; if it fails before, this rejects.
 */
async function draftOf(
  given: string | AsyncIterable<string>,
  record: TurnRecord,
): Promise<Draft | undefined> {
  const iterator = pieces(given);
  let first = '';
  while (first.trim() === '') {
    const next = await iterator.next();
    if (next.done) return undefined;
    first += next.value;
  }
  const entry = record.note({ role: 'agent', content: first.trim() });
  let isOpen = true;
  async function* words(): AsyncGenerator<string> {
    let handed = first;
    yield first;
    try {
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        handed += next.value;
        if (isOpen && entry && SENTENCE_END.test(next.value))
          record.correct(entry, { content: handed.trim() });
        yield next.value;
      }
    } catch {
      // The engine made the stream and handles its error.
    }
  }
  const close = (): void => {
    isOpen = false;
  };
  return { entry, words, close };
}

async function* pieces(given: string | AsyncIterable<string>): AsyncGenerator<string, undefined> {
  if (typeof given === 'string') yield given;
  else yield* given;
  return undefined;
}
