import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFallbackTextToSpeech, SpeechError, type TextToSpeech } from '../src/index.ts';
import { after } from '../src/providers/waiting.ts';
import { type Behavior, MS_PER_CHARACTER, type ProviderDouble } from '../src/testing/index.ts';
import { watchTimers } from './open-timers.ts';
import { IMPATIENT, PATIENT, PROVIDERS, until } from './providers.ts';

const TEXT = ['Good morn', 'ing. Your table', ' is reserved for eight. ', 'See you then!'];
const SENTENCES = ['Good morning.', 'Your table is reserved for eight.', 'See you then!'];

async function* stream(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

describe.each(PROVIDERS)('$name speaks', ({ name, createDouble, createSpeech }) => {
  let double: ProviderDouble;
  beforeEach(async () => {
    double = await createDouble();
  });
  afterEach(() => double.close());

  const speech = (limits = PATIENT, apiKey = double.key): TextToSpeech =>
    createSpeech({ apiKey, baseUrl: double.url, limits });

  const options = (signal = new AbortController().signal) => ({ language: 'en-US', signal });

  async function speak(given = speech()): Promise<number> {
    let samples = 0;
    for await (const chunk of given.speak(stream(TEXT), options())) samples += chunk.length;
    return samples;
  }

  async function failureOf(given: TextToSpeech): Promise<SpeechError> {
    try {
      await speak(given);
    } catch (err) {
      if (err instanceof SpeechError) return err;
      throw err;
    }
    throw new Error('It spoke');
  }

  const spoken = (): string[] => double.spoken.map((text) => text.trim());

  /** The doubles speak each character of a sentence for the same time; Cartesia's sentences begin with their space. */
  const expectWhole = (samples: number): void => {
    const characters = (name === 'cartesia' ? SENTENCES.join(' ') : SENTENCES.join('')).length;
    expect(samples).toBe((characters * MS_PER_CHARACTER * speech().sampleRate) / 1_000);
  };

  it('the whole text, sentence by sentence', async () => {
    expectWhole(await speak());
    expect(spoken()).toEqual(SENTENCES);
  });

  it('the beginning before the text is complete', async () => {
    let hear = (): void => {};
    const heard = new Promise<void>((resolve) => {
      hear = resolve;
    });
    async function* text(): AsyncGenerator<string> {
      yield 'This is the first sentence. And';
      await heard;
      yield ' this is the second.';
    }
    for await (const _ of speech().speak(text(), options())) hear();
    expect(spoken()).toEqual(['This is the first sentence.', 'And this is the second.']);
  });

  it('slowly, if the provider is slow', async () => {
    double.behave({ kind: 'slow', delayMs: 30 });
    expectWhole(await speak());
  });

  it.each<[string, Behavior]>([
    ['is overloaded', { kind: 'status', status: 429, times: 1 }],
    ['fails', { kind: 'status', status: 500, times: 1 }],
    ['says nothing', { kind: 'hang', times: 1 }],
    ['answers garbage', { kind: 'garbage', times: 1 }],
  ])('after a retry, if the provider %s once', async (_, behavior) => {
    double.behave(behavior);
    expectWhole(
      await speak(
        speech(behavior.kind === 'hang' ? { ...PATIENT, connectMs: 2_000, silenceMs: 2_000 } : PATIENT),
      ),
    );
  });

  it.each<[string, Behavior, string, number | undefined]>([
    ['rejects the request', { kind: 'status', status: 400 }, 'request', 1],
    ['has no credit', { kind: 'status', status: 402 }, 'credentials', 1],
    ['is overloaded', { kind: 'status', status: 429 }, 'rate_limit', 2],
    ['fails', { kind: 'status', status: 500 }, 'unavailable', 2],
    ['says nothing', { kind: 'hang' }, 'timeout', undefined],
    ['answers garbage', { kind: 'garbage' }, 'protocol', undefined],
    ['breaks off', { kind: 'break' }, 'unavailable', undefined],
  ])('nothing more, with an error, if the provider %s', async (_, behavior, kind, attempts) => {
    double.behave(behavior);
    const failure = await failureOf(speech(behavior.kind === 'hang' ? IMPATIENT : PATIENT));
    expect(failure).toMatchObject({ provider: name, kind });
    const first = double.requests.filter(
      ({ body }) => body === undefined || JSON.stringify(body).includes(SENTENCES[0] ?? ''),
    );
    if (attempts !== undefined) expect(first).toHaveLength(attempts);
  });

  it('nothing with an invalid key, which is not repeated in the error', async () => {
    const failure = await failureOf(speech(PATIENT, 'sk-not-the-key'));
    expect(failure.kind).toBe('credentials');
    expect(`${failure.message} ${failure.stack} ${JSON.stringify(failure)}`).not.toContain('not-the-key');
  });

  it('nothing without a server', async () => {
    const given = speech();
    await double.close();
    expect(await failureOf(given)).toMatchObject({ kind: 'unavailable' });
  });

  it('nothing after an interruption, and closes its connections', async () => {
    const stop = new AbortController();
    const reason = new Error('barge-in');
    async function* endless(): AsyncGenerator<string> {
      for (let i = 0; i < 1_000; i += 1) yield 'And this sentence follows the one before. ';
      await new Promise(() => {});
    }
    const audio = speech().speak(endless(), options(stop.signal))[Symbol.asyncIterator]();
    await audio.next();
    const next = (async () => {
      while (!(await audio.next()).done);
    })();
    setTimeout(() => stop.abort(reason), 50);
    await expect(next).rejects.toBe(reason);
    await until(() => double.openExchanges === 0, 5_000);
  });

  it('nothing, if it is interrupted while the provider is silent', async () => {
    double.behave({ kind: 'hang' });
    const stop = new AbortController();
    const audio = speech().speak(stream(TEXT), options(stop.signal))[Symbol.asyncIterator]();
    const next = audio.next();
    await until(() => double.requests.length > 0);
    const before = performance.now();
    stop.abort(new Error('barge-in'));
    await expect(next).rejects.toThrow('barge-in');
    // The bar is 20 ms; this machine may be busy.
    expect(performance.now() - before).toBeLessThan(1_000);
    await until(async () => (await double.openConnections()) === 0);
  });

  it('nothing that its listener does not take, and closes its connection', async () => {
    const long = [`${'This sentence takes a while, and '.repeat(20)}ends here. `, ...TEXT];
    const clock = { nowMs: () => performance.now(), timer: after };
    const tts = createFallbackTextToSpeech(speech(), [], { clock });
    for await (const _ of tts.speak(stream(long), options())) break;
    await until(() => double.openExchanges === 0, 5_000);
  });

  it('nothing after its listener has left, although its text goes on', async () => {
    const timers = watchTimers();
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    async function* text(): AsyncGenerator<string> {
      yield 'Good morning. ';
      await finished;
    }
    const audio = speech().speak(text(), options())[Symbol.asyncIterator]();
    await audio.next();
    await audio.return?.();
    finish();
    await until(() => double.openExchanges === 0, 5_000);
    await until(() => timers.where.length === 0, 1_000).catch(() => {});
    timers.stop();
    expect(timers.where).toEqual([]);
  });

  it('nothing with a key that no header can carry, and does not repeat it', async () => {
    const failed = await failureOf(speech(PATIENT, 'sk-first\nsecond'));
    expect(failed).toMatchObject({ provider: name, kind: 'request' });
    expect(`${failed.message} ${failed.cause}`).not.toMatch(/first|second/);
  });

  // Google sends the whole sentence at once.
  if (name !== 'google')
    it('half of a sentence, if it stalls: the next one continues after one timeout [calls.20]', async () => {
      double.behave({ kind: 'stall' });
      const limits = { connectMs: 20_000, silenceMs: 1_000 };
      const sound = await createDouble();
      const other = createSpeech({ apiKey: sound.key, baseUrl: sound.url, limits: PATIENT });
      const failures: string[] = [];
      const tts = createFallbackTextToSpeech(speech(limits), [{ tts: other }], {
        clock: { nowMs: () => performance.now(), timer: after },
        timeoutMs: 20_000,
        silenceMs: 20_000,
        onFailure: ({ kind }) => failures.push(kind),
      });
      let samples = 0;
      for await (const { length } of tts.speak(stream(['Your table is reserved.']), options()))
        samples += length;
      await sound.close();
      expect([double.requests.length, failures]).toEqual([1, ['timeout']]);
      expect(samples).toBe((23 * MS_PER_CHARACTER * tts.sampleRate) / 1_000);
    });

  it('no further ahead than it is heard: text is requested as it is played', async () => {
    const sentence = 'This is one of a hundred sentences, and all of them are about as long as it is.';
    async function* hundred(): AsyncGenerator<string> {
      for (let i = 0; i < 100; i += 1) yield `${sentence} `;
    }
    const audio = speech().speak(hundred(), options())[Symbol.asyncIterator]();
    await audio.next();
    await until(() => double.spoken.length >= 2);
    await new Promise((resolve) => {
      setTimeout(resolve, 500);
    });
    // Cartesia's queue has 5 seconds of audio, and the network some more.
    expect(double.spoken.length).toBeLessThan(20);
    await audio.return?.();
  });

  it('and reports why its text broke off', async () => {
    async function* text(): AsyncGenerator<string> {
      yield 'This is the first sentence. And';
      throw new Error('the model has failed');
    }
    const audio = speech().speak(text(), options());
    await expect(
      (async () => {
        for await (const _ of audio);
      })(),
    ).rejects.toThrow('the model has failed');
  });
});
