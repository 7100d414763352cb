import { beforeEach, describe, expect, it } from '@jest/globals';
import { realSleep } from '@parley/kit/time';
import { SpeechError, type SpokenWord, type TextToSpeech } from '@parley/speech';
import { createRepeatedSpeech } from './repeated-speech.ts';

const SAMPLES = [1, 2, 3, 4];
const CALL = { workspaceId: 'workspace', callId: 'call' };
const WORD: SpokenWord = { text: 'Hello', startMs: 0, endMs: 200 };

let requests: string[];
let failsAfter: number | undefined;
let delayMs = 0;
/** Before the last sample. */
let lastDelayMs = 0;
let aborted = 0;
const provider = (name = 'double'): TextToSpeech => ({
  name,
  sampleRate: 16_000,
  async *speak(parts, { voiceId, signal, onWord }) {
    let text = '';
    for await (const part of parts) text += part;
    requests.push(`${name} ${voiceId} ${text}`);
    onWord?.(WORD);
    signal.addEventListener('abort', () => {
      aborted += 1;
    });
    await realSleep(delayMs, signal);
    for (const [n, sample] of SAMPLES.entries()) {
      if (n === SAMPLES.length - 1) await realSleep(lastDelayMs, signal);
      signal.throwIfAborted();
      if (n === failsAfter) throw new SpeechError(name, 'unavailable', 'broken off');
      yield Int16Array.of(sample);
    }
  },
});

async function* given(text: string) {
  yield text;
}

async function listen(tts: TextToSpeech, text: string, { voiceId = 'slt', stopsAfter = Number.NaN } = {}) {
  const words: SpokenWord[] = [];
  const samples: number[] = [];
  const abort = new AbortController();
  const options = { voiceId, language: 'en-US', signal: abort.signal };
  for await (const block of tts.speak(given(text), { ...options, onWord: (word) => words.push(word) })) {
    samples.push(...block);
    // What follows works with the samples themselves.
    block.fill(0);
    if (samples.length === stopsAfter) abort.abort(new Error('hung up'));
  }
  return { samples, words };
}

beforeEach(() => {
  requests = [];
  failsAfter = undefined;
  delayMs = 0;
  lastDelayMs = 0;
  aborted = 0;
});

describe('a sentence that was spoken before', () => {
  it('is not requested again, and has the same samples and words', async () => {
    const tts = createRepeatedSpeech()(provider(), CALL);
    const first = await listen(tts, 'Hello.');
    expect(first).toEqual({ samples: SAMPLES, words: [WORD] });
    expect(await listen(tts, 'Hello.')).toEqual(first);
    expect(await listen(tts, 'Hello.')).toEqual(first);
    expect(requests).toEqual(['double slt Hello.']);
  });

  it('is requested again in another voice, from another provider, and for another workspace [trust.1]', async () => {
    const repeated = createRepeatedSpeech();
    const tts = repeated(provider(), CALL);
    await listen(tts, 'Hello.');
    await listen(tts, 'Hello.', { voiceId: 'rms' });
    await listen(repeated(provider('other'), CALL), 'Hello.');
    expect(requests).toEqual(['double slt Hello.', 'double rms Hello.', 'other slt Hello.']);
    await listen(repeated(provider(), { ...CALL, workspaceId: 'another' }), 'Hello.');
    expect(requests.at(-1)).toBe('double slt Hello.');
    expect(requests).toHaveLength(4);
  });

  it('is requested again if it was broken off', async () => {
    const tts = createRepeatedSpeech()(provider(), CALL);
    await expect(listen(tts, 'Hello.', { stopsAfter: 2 })).rejects.toThrow('hung up');
    failsAfter = 3;
    await expect(listen(tts, 'Hello.')).rejects.toThrow('broken off');
    failsAfter = undefined;
    expect((await listen(tts, 'Hello.')).samples).toEqual(SAMPLES);
    expect(requests).toHaveLength(3);
  });

  it('is forgotten when later ones need the memory', async () => {
    const tts = createRepeatedSpeech(3 * 2 * SAMPLES.length)(provider(), CALL);
    for (const text of ['one', 'two', 'three', 'four', 'one']) await listen(tts, text);
    expect(requests).toHaveLength(5);
    await listen(tts, 'four');
    expect(requests).toHaveLength(5);
  });
});

describe('a sentence that is synthesized ahead', () => {
  const OPTIONS = { voiceId: 'slt', language: 'en-US', signal: new AbortController().signal };

  it('is requested once, whether it is complete or not when it is spoken', async () => {
    const tts = createRepeatedSpeech()(provider(), CALL);
    delayMs = 50;
    const ahead = tts.speakAhead('Hello.', OPTIONS);
    expect((await listen(tts, 'Hello.')).samples).toEqual(SAMPLES);
    await ahead;
    await tts.speakAhead('Hello.', OPTIONS);
    expect((await listen(tts, 'Hello.')).words).toEqual([WORD]);
    expect(requests).toHaveLength(1);
  });

  it('is heard as it arrives', async () => {
    const tts = createRepeatedSpeech()(provider(), CALL);
    lastDelayMs = 60_000;
    const life = new AbortController();
    const ahead = tts.speakAhead('Hello.', { ...OPTIONS, signal: life.signal });
    await realSleep(20);
    const words: SpokenWord[] = [];
    const options = { ...OPTIONS, onWord: (word: SpokenWord) => words.push(word) };
    const spoken = tts.speak(given('Hello.'), options)[Symbol.asyncIterator]();
    for (const sample of SAMPLES.slice(0, -1))
      expect((await spoken.next()).value).toEqual(Int16Array.of(sample));
    expect([requests, words]).toEqual([['double slt Hello.'], [WORD]]);
    await spoken.return?.();
    await ahead;
  });

  it('is aborted when the human interrupts before it is heard', async () => {
    const tts = createRepeatedSpeech()(provider(), CALL);
    delayMs = 60_000;
    const slow = tts.speakAhead('Hello.', OPTIONS);
    const stop = new AbortController();
    const spoken = tts.speak(given('Hello.'), { ...OPTIONS, signal: stop.signal })[Symbol.asyncIterator]();
    const first = spoken.next();
    await realSleep(20);
    stop.abort(new Error('barge-in'));
    await expect(first).rejects.toThrow('barge-in');
    await slow;
  });

  describe('by several calls', () => {
    const start = () => {
      const repeated = createRepeatedSpeech();
      const calls = ['first', 'second'].map((callId) => {
        const life = new AbortController();
        const options = { ...OPTIONS, signal: life.signal };
        const tts = repeated(provider(), { ...CALL, callId });
        return { tts, options, life, ahead: tts.speakAhead('Hello.', options) };
      });
      return calls as [(typeof calls)[number], (typeof calls)[number]];
    };
    const next = ({ tts, options }: ReturnType<typeof start>[number]) =>
      tts.speak(given('Hello.'), options)[Symbol.asyncIterator]().next();

    it('is requested once, also if the one that was first hangs up', async () => {
      delayMs = 50;
      const [first, second] = start();
      first.life.abort(new Error('hung up'));
      expect((await listen(second.tts, 'Hello.')).samples).toEqual(SAMPLES);
      expect([requests.length, aborted]).toEqual([1, 0]);
    });

    it('goes on for the other one if the first is interrupted', async () => {
      delayMs = 50;
      const [first, second] = start();
      const interrupted = next(first);
      first.life.abort(new Error('barge-in'));
      await expect(interrupted).rejects.toThrow('barge-in');
      expect((await listen(second.tts, 'Hello.')).samples).toEqual(SAMPLES);
      expect([requests.length, aborted]).toEqual([1, 0]);
    });

    it('is aborted when the last one is over', async () => {
      delayMs = 60_000;
      const [first, second] = start();
      const interrupted = next(second);
      second.life.abort(new Error('barge-in'));
      await expect(interrupted).rejects.toThrow('barge-in');
      expect(aborted).toBe(0);
      first.life.abort(new Error('hung up'));
      await Promise.all([first.ahead, second.ahead]);
      expect(aborted).toBe(1);
      delayMs = 0;
      expect((await listen(first.tts, 'Hello.')).samples).toEqual(SAMPLES);
    });

    it('fails for those who hear it', async () => {
      failsAfter = 2;
      delayMs = 50;
      const [first, second] = start();
      const [one, other] = [listen(first.tts, 'Hello.'), listen(second.tts, 'Hello.')];
      await expect(one).rejects.toThrow('broken off');
      await expect(other).rejects.toThrow('broken off');
      expect(requests).toHaveLength(1);
    });
  });

  it('is given up when its audio does not end', async () => {
    const endless: TextToSpeech = {
      ...provider(),
      async *speak(_, { signal }) {
        for (; !signal.aborted; ) yield new Int16Array(24_000);
      },
    };
    const tts = createRepeatedSpeech()(endless, CALL);
    await tts.speakAhead('Hello.', OPTIONS);
  });

  it('is requested again when it fails', async () => {
    const tts = createRepeatedSpeech()(provider(), CALL);
    failsAfter = 1;
    await tts.speakAhead('Goodbye.', OPTIONS);
    failsAfter = undefined;
    expect((await listen(tts, 'Goodbye.')).samples).toEqual(SAMPLES);
    expect(requests).toHaveLength(2);
  });
});
