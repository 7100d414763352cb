import { afterEach, describe, expect, it } from '@jest/globals';
import { createManualClock } from '@parley/media/testing';
import type { SpeechToText } from '../src/index.ts';
import { createUtteranceRecognition } from '../src/providers/utterance-recognition.ts';
import { type Conversation, converse, never } from './conversation.ts';

const MESSAGE = 'This is a message for you. Please call us back.';
const GREETING = 'Please leave a message after the tone.';
const RECOGNITION_MS = 1_200;
const open: Conversation[] = [];
afterEach(() => {
  for (const { close } of open.splice(0)) close();
});

/** A conversation whose recognizer answers each utterance late, with the words of the next sound. */
function begin() {
  const clock = createManualClock(1_000_000);
  const texts: string[] = [];
  const stt: SpeechToText = createUtteranceRecognition({
    name: 'late',
    sampleRate: 16_000,
    transcribe: async () => {
      const text = texts.shift() ?? '';
      await new Promise<void>((resolve) => void clock.timer(RECOGNITION_MS, resolve));
      return text;
    },
  });
  const conversation = converse({ clock, stt });
  open.push(conversation);
  const human = (text: string, ms: number): void => {
    texts.push(text);
    conversation.human(text, ms);
  };
  return { ...conversation, human };
}

/** The human's next turn; undefined: there is none. */
async function nextTurn({ port, pass }: Conversation): Promise<string | undefined> {
  const over = new AbortController();
  const heard = port.hear(over.signal).then(
    ({ text }) => text,
    () => undefined,
  );
  await pass(3_000);
  over.abort(new Error('over'));
  return heard;
}

describe('forget: the words of what was said before', () => {
  it.each([
    ['when all of it is being recognized', 400],
    ['when its recognition has not begun', 200],
    ['just before its end', -60],
  ])('do not interrupt what is said then, and are no turn: %s', async (_, afterMs) => {
    const conversation = begin();
    const { port, human, pass, until } = conversation;
    human(GREETING, 700);
    await pass(700 + afterMs);
    port.forget();
    expect(await until(port.say(MESSAGE, never))).toMatchObject({ text: MESSAGE, isInterrupted: false });
    expect(await nextTurn(conversation)).toBeUndefined();
  });

  it('are not those of what is said later, which interrupts', async () => {
    const conversation = begin();
    const { port, human, pass, until } = conversation;
    human(GREETING, 1_000);
    await pass(1_400);
    port.forget();
    const said = until(port.say(MESSAGE, never));
    await pass(200);
    human('Hello? Who is this?', 800);
    expect(await said).toMatchObject({ isInterrupted: true });
    expect(await nextTurn(conversation)).toBe('Hello? Who is this?');
  });
});
