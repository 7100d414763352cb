import type { TextLine } from '../carriers/media.ts';
import type { Heard, Spoken, TextPort } from '../engines/text-port.ts';
import type { Entry, SpokenEntry, SpokenTurn } from './ports.ts';

/** The conversation of a call for engines; records the turns of both sides. */
export type RecordedPort = TextPort & {
  /** The human pressed keys, which the carrier reported as signalling. On audio they are collected like keys in the media. */
  press(digits: string): void;
  /** The human wrote, on a line of audio too. */
  write(text: string): void;
  /** Resolves when the interrupted turn is corrected to what was heard; its signal must have aborted. */
  settled(): Promise<unknown>;
  /** When both sides became silent, in real milliseconds since the epoch; null: one is speaking, or the leg carries text. */
  silentSinceMs(): number | null;
  /** Discards speech that is not a turn yet; text is always a complete turn. */
  forget?(): void;
  close(): void;
};

export type TurnRecord = {
  note(entry: SpokenEntry): Entry | undefined;
  correct(entry: Entry, turn: SpokenTurn): void;
};

type Deps = { record: TurnRecord; nowMs: () => number };

/** The conversation over a leg that carries text: a turn is recorded when it begins. */
export function recordedText(line: TextLine, { record, nowMs }: Deps): RecordedPort {
  const turns = createTurns((signal) => line.hear(signal).then((text) => asText(text, nowMs())), nowMs);
  return {
    press: turns.press,
    write: turns.write,
    settled: async () => {},
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

const asText = (text: string, atMs: number): Heard => ({
  text,
  source: 'text',
  confidence: null,
  startedAtMs: atMs,
  endedAtMs: atMs,
});

async function collect(stream: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of stream) text += piece;
  return text.trim();
}

/** Keys as a turn. */
export const pressedText = (digits: string): string => `Pressed ${[...digits].join(' ')}.`;

/** The human's turns: speech, and keys and written text, which are reported separately. A pending wait for speech survives those. */
export function createTurns(hear: (signal: AbortSignal) => Promise<Heard>, nowMs: () => number) {
  const pressed: string[] = [];
  const written: string[] = [];
  let wake = (): void => {};
  let hearing: Promise<Heard> | undefined;
  return {
    press: (digits: string): void => {
      pressed.push(digits);
      wake();
    },
    write: (text: string): void => {
      written.push(text);
      wake();
    },
    next: async (signal: AbortSignal): Promise<Heard> => {
      signal.throwIfAborted();
      hearing ??= hear(signal);
      hearing.catch(() => {});
      const keys = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const isWaiting = pressed.length + written.length > 0;
      const heard = isWaiting ? undefined : await Promise.race([hearing, keys]);
      if (heard) {
        hearing = undefined;
        return heard;
      }
      const text = pressed.length > 0 ? undefined : written.shift();
      if (text !== undefined) return asText(text, nowMs());
      return { ...asText(pressedText(pressed.splice(0).join('')), nowMs()), source: 'keys' };
    },
  };
}
