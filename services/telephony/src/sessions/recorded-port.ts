import type { TextLine } from '../carriers/media.ts';
import type { Heard, Spoken, TextPort } from '../engines/text-port.ts';
import { aborted } from './aborted.ts';
import type { Entry, SpokenEntry, SpokenTurn } from './ports.ts';

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

/** The human's turns: speech, and keys and written text, which are reported separately and do not cancel a pending wait for speech. */
export function createTurns(hear: (signal: AbortSignal) => Promise<Heard>, nowMs: () => number) {
  const pressed: string[] = [];
  const written: Heard[] = [];
  let isHeld = false;
  let wake = (): void => {};
  let hearing: Promise<Heard> | undefined;
  const takeKeys = (): Heard => ({
    ...asText(pressedText(pressed.splice(0).join('')), nowMs()),
    source: 'keys',
  });
  return {
    press: (digits: string): void => {
      pressed.push(digits);
      wake();
    },
    write: (text: string): void => {
      written.push(asText(text, nowMs()));
      wake();
    },
    /** From now on `next` returns no turn: all are left for `take`. */
    hold: (): void => {
      isHeld = true;
    },
    /** Removes the turns that `next` has not returned. */
    take: async (): Promise<Heard[]> => {
      // Speech that ended while the assistant answered keys or text.
      const spoken = await Promise.race([hearing, undefined]).catch(() => undefined);
      const keys = pressed.length > 0 ? [takeKeys()] : [];
      return [...(spoken ? [spoken] : []), ...keys, ...written.splice(0)];
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
      if (isHeld) return aborted(signal);
      if (heard) {
        hearing = undefined;
        return heard;
      }
      return (pressed.length > 0 ? undefined : written.shift()) ?? takeKeys();
    },
  };
}
