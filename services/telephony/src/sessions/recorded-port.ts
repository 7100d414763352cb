import type { TextLine } from '../carriers/media.ts';
import type { Heard, Spoken, TextPort } from '../engines/text-port.ts';
import { asText, createHumanTurns } from './human-turns.ts';
import type { TurnRecord } from './turn-record.ts';

/** The conversation of a call for engines; records the turns of both sides. */
export type RecordedPort = TextPort & {
  /** The human pressed keys, which the carrier reported as signalling. On audio they are collected like keys in the media. */
  press(digits: string): void;
  /** The human wrote, on a line of audio too. */
  write(text: string): void;
  /** Resolves when the interrupted turn is corrected to what was heard; its signal must have aborted. */
  settled(): Promise<unknown>;
  /**
   * For a conversation that continues in another worker: no new turn is spoken or heard. Resolves when the human has finished the
   * turn that they have begun, or after a maximum.
   */
  letFinish(): Promise<void>;
  /** Stops listening, and records the human's turns that `hear` has not returned. */
  recordUnheard(): Promise<void>;
  /** When both sides became silent, in real milliseconds since the epoch; null: one is speaking, or the leg carries text. */
  silentSinceMs(): number | null;
  /** Discards speech that is not a turn yet, even if its words are recognized later; text is always a complete turn. */
  forget?(): void;
  close(): void;
};

type Deps = { record: TurnRecord; nowMs: () => number };

/** The conversation over a leg that carries text: a turn is recorded when it begins. */
export function recordedText(line: TextLine, { record, nowMs }: Deps): RecordedPort {
  const turns = createHumanTurns((signal) => line.hear(signal).then((text) => asText(text, nowMs())), nowMs);
  return {
    press: turns.press,
    write: turns.write,
    settled: async () => {},
    letFinish: async () => {},
    recordUnheard: async () => {
      turns.hold();
      noteUnheard(record, await turns.take());
    },
    silentSinceMs: () => null,
    close: () => {},
    say: async (given, signal) => {
      const text = typeof given === 'string' ? given : await collect(given);
      signal.throwIfAborted();
      if (text === '') return NOTHING_SAID;
      record.note({ role: 'agent', content: text });
      const firstAudioAtMs = nowMs();
      await line.say(text, signal);
      return { text, isInterrupted: false, firstAudioAtMs };
    },
    hear: async (signal) => noteHeard(record, await turns.next(signal), signal),
  };
}

export const NOTHING_SAID: Spoken = { text: '', isInterrupted: false, firstAudioAtMs: null };

export function noteHeard(record: TurnRecord, heard: Heard, signal: AbortSignal): Heard {
  if (!signal.aborted) record.note({ role: 'user', content: heard.text });
  return heard;
}

/** Records turns in the order in which they ended. */
export function noteUnheard(record: TurnRecord, unheard: readonly Heard[]): void {
  for (const { text } of unheard.toSorted((one, other) => one.endedAtMs - other.endedAtMs))
    record.note({ role: 'user', content: text });
}

async function collect(stream: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of stream) text += piece;
  return text.trim();
}
