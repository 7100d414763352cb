import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Playback } from '@parley/media';
import { SpeechError, type TextToSpeech } from '../src/index.ts';
import { jsonOf } from '../src/providers/post.ts';
import { speakText } from '../src/voice/speak-text.ts';
import type { LiveModelDouble } from './doubles/live-model-double.ts';
import { createLiveCall, failure, type LiveCall } from './live-call.ts';

const RATE = 8_000;
const { signal } = new AbortController();
const audio = (ms: number): Int16Array => new Int16Array((RATE * ms) / 1_000).fill(4_000);

describe('a live model that sends without end [trust.1]', () => {
  let call: LiveCall;
  let model: LiveModelDouble;
  beforeEach(async () => {
    call = createLiveCall();
    ({ model } = call);
    call.open();
    await call.pass(40);
  });
  afterEach(() => call.close());

  const floods: [string, (n: number) => void, max: number][] = [
    ['audio', () => model.emit({ type: 'audio', answer: 'a', samples: audio(10_000) }), 32],
    ['audio in small pieces', () => model.emit({ type: 'audio', answer: 'a', samples: audio(1) }), 150_002],
    ['answers', (n) => model.emit({ type: 'audio', answer: `a${n}`, samples: audio(100) }), 11],
    ['words', () => model.emit({ type: 'said', answer: 'a', text: 'on and on '.repeat(100) }), 21],
    [
      'words of the human',
      (n) => model.emit({ type: 'heard', turn: 't', text: 'on and on '.repeat(100 * n), isFinal: false }),
      22,
    ],
  ];
  it.each(floods)('is given up: %s', async (_, flood, max) => {
    let sent = 0;
    while (sent < 200_000 && model.openConnections > 0) flood(sent++);
    expect(sent).toBeLessThanOrEqual(max);
    await call.pass(20);
    expect(call.end).toBeInstanceOf(SpeechError);
    expect(call.end).toMatchObject({ kind: 'protocol' });
    expect(call.failures).toEqual([call.end]);
    expect(model.openings).toHaveLength(1);
  });

  it('is given up after 10 minutes that were played as they came', async () => {
    let minutes = 0;
    while (minutes < 20 && model.openConnections > 0) {
      for (let n = 0; n < 60; n += 1) model.emit({ type: 'audio', answer: 'a', samples: audio(1_000) });
      await call.pass(60_000);
      minutes += 1;
    }
    expect(minutes).toBe(11);
    expect(call.end).toMatchObject({ kind: 'protocol' });
  }, 60_000);

  it('does not leave a message without end', async () => {
    call.stop.abort(new Error('a machine picked up'));
    await call.pass(20);
    const left = call.conversation.sayExactly('Please call back.', signal).catch((err: unknown) => err);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await call.pass(200);
      for (let n = 0; n < 11; n += 1) model.emit({ type: 'audio', answer: 'm', samples: audio(60_000) });
    }
    await call.pass(200);
    expect(await left).toMatchObject({ kind: 'protocol' });
  });

  it('is given up if it breaks off again and again, although it answers in between', async () => {
    for (let n = 0; n < 50 && call.end === undefined; n += 1) {
      model.say(`a${n}`, 'Hm.', 20);
      model.fail(failure());
      await call.pass(60);
    }
    expect(call.end).toMatchObject({ kind: 'unavailable' });
    expect(model.openings.length).toBeLessThan(15);
  });

  it('runs no more than 20 tools at once', async () => {
    for (let n = 0; n < 100; n += 1) model.emit({ type: 'tool', id: `x${n}`, name: 'stock', args: {} });
    await call.pass(20);
    expect(call.used).toHaveLength(20);
    expect(call.asked('answerTool')).toHaveLength(80);
  });
});

it('a text whose audio has no end fails after 10 minutes [trust.1]', async () => {
  let writtenMs = 0;
  const playback = {
    write: (samples: Int16Array) => {
      writtenMs += samples.length / 8;
    },
    ready: async () => {},
  } as unknown as Playback;
  const tts: TextToSpeech = {
    name: 'endless',
    sampleRate: RATE,
    speak: async function* () {
      for (let n = 0; n < 100; n += 1) yield audio(30_000);
    },
  };
  const ignore = (): void => {};
  const spoken = speakText('Hello.', playback, {
    ...{ tts, language: 'en-US', signal, onText: ignore, onVoice: ignore, onSentence: ignore },
  });
  await expect(spoken).rejects.toMatchObject({ provider: 'endless', kind: 'protocol' });
  expect(writtenMs).toBeLessThanOrEqual(11 * 60_000);
});

it('an answer of text without end is closed [trust.1]', async () => {
  let sent = 0;
  let isClosed = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent += 1;
      controller.enqueue(new Uint8Array(1024 ** 2));
    },
    cancel: () => {
      isClosed = true;
    },
  });
  await expect(jsonOf('endless', new Response(body), signal)).rejects.toMatchObject({ kind: 'protocol' });
  expect([sent < 20, isClosed]).toEqual([true, true]);
});
