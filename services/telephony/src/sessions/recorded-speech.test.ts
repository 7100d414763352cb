import { afterEach, describe, expect, it } from '@jest/globals';
import { createMemoryPair, createTicker, levelDb } from '@parley/media';
import { createManualClock, createRandom, tone } from '@parley/media/testing';
import { speechOf } from '../../tests/speech-doubles.ts';
import { readCallConfig } from '../assistants/call-config.ts';
import type { Entry, TurnLatency } from './ports.ts';
import { recordedSpeech } from './recorded-speech.ts';

const FRAME_MS = 20;
const RATE = 8_000;
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A conversation over audio between doubles, on a clock that the test moves; the human says these lines. */
async function converse(lines: readonly string[]) {
  const clock = createManualClock(1_000_000);
  const ticker = createTicker(clock, (err) => {
    throw err;
  });
  const { near, far, close } = createMemoryPair({ clock, ticker, random: createRandom(1) });
  const entries: Entry[] = [];
  const latencies: TurnLatency[] = [];
  const keys: string[] = [];
  const port = recordedSpeech(near, {
    speech: await speechOf(lines)({
      ...readCallConfig({}),
      workspaceId: 'workspace',
      callId: 'call',
      lineRate: 8_000,
    }),
    vad: () => ({ isVoice: (samples) => levelDb(samples) > -40, close: () => {} }),
    clock,
    language: 'en-US',
    phrases: [],
    record: {
      note: (entry) => {
        const written: Entry = { ...entry, seq: entries.length, at: new Date(clock.nowMs()) };
        entries.push(written);
        return written;
      },
      correct: ({ seq }, turn) => void Object.assign(entries[seq] ?? {}, turn),
    },
    onKeys: (digits) => void keys.push(digits),
    onLatency: (latency) => void latencies.push(latency),
  });
  closers.push(() => {
    port.close();
    close();
  });
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += FRAME_MS) {
      clock.advance(FRAME_MS);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const speak = (ms: number): void => {
    const playback = far.play();
    playback.write(tone(400, ms, RATE), RATE);
    playback.end();
  };
  /** What a worker does before it stops; resolves with how long the human was waited for. */
  const leave = async (): Promise<number> => {
    const beganMs = clock.nowMs();
    let finishedMs: number | undefined;
    void port.letFinish().then(() => {
      finishedMs = clock.nowMs();
    });
    await Promise.resolve();
    while (finishedMs === undefined) await pass(FRAME_MS);
    await port.recordUnheard();
    return finishedMs - beganMs;
  };
  return { port, far, entries, latencies, keys, pass, speak, leave };
}

const SENTENCES = ['One two three four five. ', 'Six seven eight nine ten. ', 'Eleven twelve thirteen.'];
const ALL = SENTENCES.join('');

async function* stream(failsAfter = SENTENCES.length): AsyncGenerator<string> {
  yield* SENTENCES.slice(0, failsAfter);
  if (failsAfter < SENTENCES.length) throw new Error('broken');
}

describe('a conversation over audio [calls.17]', () => {
  const { signal } = new AbortController();

  it('records both sides, and the latency of answers', async () => {
    const { port, entries, latencies, pass, speak } = await converse(['Hello?']);
    const heard = port.hear(signal);
    speak(800);
    await pass(3_000);
    expect(await heard).toMatchObject({ text: 'Hello?', source: 'speech' });
    const said = port.say(stream(), signal);
    await pass(7_000);
    expect(await said).toMatchObject({ text: ALL, isInterrupted: false });
    expect(entries).toMatchObject([
      { role: 'user', content: 'Hello?' },
      { role: 'agent', content: ALL, latency: latencies[0] },
    ]);
    const [
      { endOfTurnMs, firstTokenMs, firstAudioMs } = { endOfTurnMs: 0, firstTokenMs: 0, firstAudioMs: 0 },
    ] = latencies;
    expect(endOfTurnMs).toBeGreaterThanOrEqual(600);
    expect(firstTokenMs).toBeGreaterThanOrEqual(endOfTurnMs);
    expect(firstAudioMs).toBeGreaterThanOrEqual(firstTokenMs);
  });

  it('records a turn from its beginning, and corrects it to what was heard before an interruption', async () => {
    const { port, entries, pass, speak } = await converse(['Wait a moment please.']);
    const said = port.say(stream(), signal);
    await pass(1_000);
    expect(entries[0]?.role === 'agent' && entries[0].content).toContain('One two');
    speak(2_000);
    await pass(4_000);
    const spoken = await said;
    expect(spoken.isInterrupted).toBe(true);
    expect(ALL.startsWith(spoken.text)).toBe(true);
    expect(spoken.text.length).toBeLessThan(ALL.length);
    expect(entries[0]).toMatchObject({ content: spoken.text });
    expect(await port.hear(signal)).toMatchObject({ text: 'Wait a moment please.' });
  });

  it('counts the beginning of a failed stream as said', async () => {
    const { port, entries, pass } = await converse([]);
    const said = port.say(stream(1), signal);
    await pass(3_000);
    expect(await said).toMatchObject({ text: 'One two three four five.', isInterrupted: false });
    expect(entries).toMatchObject([{ content: 'One two three four five.' }]);
    await expect(port.say(stream(0), signal)).rejects.toThrow('broken');
    expect(entries).toHaveLength(1);
  });

  it('keeps what was heard of a turn that the end of the call cuts off', async () => {
    const { port, entries, pass } = await converse([]);
    const over = new AbortController();
    const said = port.say(ALL, over.signal);
    const failed = expect(said).rejects.toThrow('over');
    await pass(1_500);
    over.abort(new Error('over'));
    await failed;
    await port.settled();
    const [turn] = entries;
    const content = turn?.role === 'agent' ? turn.content : '';
    expect(content).toContain('One');
    expect(content.length).toBeLessThan(ALL.length);
  });

  it('hears keys, and reports which [calls.18]', async () => {
    const { port, far, entries, keys, pass } = await converse([]);
    const heard = port.hear(signal);
    void far.sendDigits('42#');
    await pass(2_000);
    expect(await heard).toMatchObject({ text: 'Pressed 4 2.', source: 'keys' });
    expect(keys).toEqual(['42']);
    expect(entries).toMatchObject([{ role: 'user', content: 'Pressed 4 2.' }]);
  });

  it('collects keys that come by signalling, which interrupt the assistant [calls.18]', async () => {
    const { port, entries, keys, pass } = await converse([]);
    const said = port.say(ALL, signal);
    await pass(1_000);
    for (const digit of '4711') {
      port.press(digit);
      await pass(400);
    }
    expect(await said).toMatchObject({ isInterrupted: true });
    const heard = port.hear(signal);
    await pass(2_000);
    expect(await heard).toMatchObject({ text: 'Pressed 4 7 1 1.', source: 'keys' });
    expect(keys).toEqual(['4711']);
    expect(entries).toHaveLength(2);
  });
});

describe('a conversation over audio that goes to another worker [calls.17]', () => {
  const { signal } = new AbortController();
  const ADA = { role: 'user', content: 'My name is Ada.' };

  it('records words whose turn is not over, and returns them to no engine', async () => {
    const { port, entries, pass, speak, leave } = await converse([ADA.content]);
    const over = new AbortController();
    const heard = expect(port.hear(over.signal)).rejects.toThrow('over');
    speak(800);
    await pass(1_100);
    expect(entries).toEqual([]);
    await leave();
    over.abort(new Error('over'));
    await heard;
    expect(entries).toMatchObject([ADA]);
  });

  it('lets the human finish a sentence', async () => {
    const { entries, pass, speak, leave } = await converse([ADA.content]);
    speak(1_500);
    await pass(500);
    expect(await leave()).toBeGreaterThan(1_000);
    expect(entries).toMatchObject([ADA]);
  });

  it('waits for three seconds at most, and records what is known then', async () => {
    const { port, entries, keys, pass, speak, leave } = await converse([ADA.content]);
    speak(800);
    await pass(1_300);
    speak(9_000);
    await pass(500);
    const left = leave();
    await pass(1_000);
    port.press('7');
    expect(await left).toBe(3_000);
    expect(entries).toMatchObject([{ content: 'Pressed 7.' }, ADA]);
    expect(keys).toEqual(['7']);
  });

  it('does not wait for an assistant that is speaking', async () => {
    const { port, pass, leave } = await converse([]);
    void port.say(ALL, signal);
    await pass(1_000);
    expect(await leave()).toBe(0);
  });

  it('begins no answer while it waits, and forgets none of the words before it', async () => {
    const { port, entries, pass, speak, leave } = await converse([ADA.content]);
    const over = new AbortController();
    speak(1_500);
    await pass(500);
    const left = leave();
    await pass(100);
    const said = expect(port.say('One two three.', over.signal)).rejects.toThrow('over');
    await left;
    over.abort(new Error('over'));
    await said;
    await port.settled();
    expect(entries.filter(({ role }) => role === 'user')).toMatchObject([ADA]);
    expect(entries.filter((entry) => entry.role === 'agent' && entry.content !== '')).toEqual([]);
  });

  it('records keys as keys, once their entry is complete [calls.18]', async () => {
    const { port, entries, keys, pass, leave } = await converse([]);
    for (const key of '42#') port.press(key);
    port.press('7');
    await pass(500);
    expect(await leave()).toBe(1_500);
    expect(keys).toEqual(['42', '7']);
    expect(entries).toMatchObject([{ content: 'Pressed 4 2.' }, { content: 'Pressed 7.' }]);
  });

  it('records what was written while the assistant speaks, and what was said after it', async () => {
    const { port, entries, pass, speak, leave } = await converse([ADA.content]);
    void port.say(ALL, signal);
    await pass(500);
    port.write('a.novak@example.com');
    speak(1_200);
    await pass(1_000);
    await leave();
    expect(entries.filter(({ role }) => role === 'user')).toMatchObject([
      { content: 'a.novak@example.com' },
      ADA,
    ]);
  });
});
