import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Recognition, SpeechError, SpeechStream } from '../src/index.ts';
import type { Limits } from '../src/providers/limits.ts';
import type { Behavior, ProviderDouble } from '../src/testing/index.ts';
import { watchTimers } from './open-timers.ts';
import { IMPATIENT, PATIENT, PROVIDERS, toneAt, until } from './providers.ts';

describe.each(PROVIDERS)('$name recognizes', ({ name, createDouble, createRecognition, hasInterim }) => {
  let double: ProviderDouble;
  let stream: SpeechStream | undefined;
  let results: Recognition[];
  let errors: SpeechError[];
  beforeEach(async () => {
    double = await createDouble();
    results = [];
    errors = [];
  });
  afterEach(async () => {
    stream?.close();
    await double.close();
  });

  function open(limits: Limits = PATIENT, apiKey = double.key): SpeechStream {
    stream = createRecognition({ apiKey, baseUrl: double.url, limits }).open({
      language: 'en-US',
      phrases: ['Parley'],
      onResult: (result) => results.push(result),
      onError: (error) => errors.push(error),
    });
    return stream;
  }

  /** As a call does: 20 ms at once. */
  function say(given: SpeechStream, ms = 600): void {
    for (let at = 0; at < ms; at += 20) given.push(toneAt(16_000, 20));
  }

  const finals = (): string[] => results.filter(({ isFinal }) => isFinal).map(({ text }) => text);

  it('each utterance, with its position in the audio', async () => {
    double.hears('good morning', 'a table for two');
    const given = open();
    say(given);
    await given.flush();
    say(given, 400);
    await given.flush();
    expect(finals()).toEqual(['good morning', 'a table for two']);
    const [first, second] = results.filter(({ isFinal }) => isFinal);
    expect([first?.startMs, first?.endMs, second?.startMs, second?.endMs]).toEqual([0, 600, 600, 1_000]);
    expect(results.some(({ isFinal }) => !isFinal)).toBe(hasInterim);
    // Everything that was said before the connection was open, too.
    expect(double.heardBytes).toBe(1_000 * 32);
    expect(errors).toEqual([]);
  });

  it('the audio of a telephone line, with its position', async () => {
    double.hears('good morning');
    const usual = createRecognition({ apiKey: double.key, baseUrl: double.url, limits: PATIENT });
    const own = usual.forLine?.(8_000) ?? usual;
    stream = own.open({
      language: 'en-US',
      onResult: (result) => results.push(result),
      onError: (error) => errors.push(error),
    });
    for (let at = 0; at < 500; at += 20) stream.push(toneAt(own.sampleRate, 20));
    await stream.flush();
    expect(results.at(-1)).toMatchObject({ text: 'good morning', startMs: 0, endMs: 500 });
    // Deepgram takes the samples of the line as they are.
    expect(own.sampleRate).toBe(name === 'deepgram' ? 8_000 : usual.sampleRate);
    expect(usual.forLine?.(44_100).sampleRate ?? usual.sampleRate).toBe(usual.sampleRate);
    expect(errors).toEqual([]);
  });

  it('nothing in silence, and sends no request without audio', async () => {
    const given = open();
    await given.flush();
    expect(results).toEqual([]);
  });

  it('slowly, if the provider is slow', async () => {
    double.behave({ kind: 'slow', delayMs: 200 });
    const given = open();
    say(given);
    await given.flush();
    expect(finals()).toEqual(['hello there']);
  });

  it.each<[string, Behavior]>([
    ['is overloaded', { kind: 'status', status: 429, times: 1 }],
    ['fails', { kind: 'status', status: 500, times: 1 }],
    ['breaks off', { kind: 'break', times: 1 }],
    ['answers garbage', { kind: 'garbage', times: 1 }],
    ['says nothing', { kind: 'hang', times: 1 }],
  ])('the same audio again, if the provider %s once', async (_, behavior) => {
    double.behave(behavior);
    const given = open(behavior.kind === 'hang' ? { connectMs: 2_000, silenceMs: 2_000 } : PATIENT);
    say(given);
    await given.flush();
    expect(errors).toEqual([]);
    expect(finals()).toEqual(['hello there']);
    expect(results.at(-1)).toMatchObject({ startMs: 0, endMs: 600 });
  });

  it.each<[string, Behavior, string]>([
    ['rejects the request', { kind: 'status', status: 400 }, 'request'],
    ['has no credit', { kind: 'status', status: 402 }, 'credentials'],
    ['is overloaded', { kind: 'status', status: 429 }, 'rate_limit'],
    ['fails', { kind: 'status', status: 500 }, 'unavailable'],
    ['breaks off', { kind: 'break' }, 'unavailable'],
    ['answers garbage', { kind: 'garbage' }, 'protocol'],
  ])('nothing more, with one error, if the provider %s', async (_, behavior, kind) => {
    double.behave(behavior);
    const given = open();
    say(given);
    await given.flush();
    expect(errors).toEqual([expect.objectContaining({ provider: name, kind })]);
    expect(finals()).toEqual([]);
    say(given);
    await given.flush();
    given.close();
    expect(errors).toHaveLength(1);
    await until(async () => (await double.openConnections()) === 0 || name === 'openai');
  });

  it('nothing more, with one error, if the provider does not respond', async () => {
    double.behave({ kind: 'hang' });
    const given = open(IMPATIENT);
    // Too short for interim words.
    say(given, 100);
    await given.flush();
    expect(errors).toEqual([expect.objectContaining({ provider: name, kind: 'timeout' })]);
  });

  it('nothing with an invalid key, which is not repeated in the error', async () => {
    const given = open(PATIENT, 'sk-not-the-key');
    say(given);
    await given.flush();
    expect(errors).toEqual([expect.objectContaining({ kind: 'credentials' })]);
    expect(`${errors[0]?.message} ${errors[0]?.stack}`).not.toContain('not-the-key');
  });

  it('nothing with a key that no header can carry, with one error and without it', async () => {
    const timers = watchTimers();
    const given = open(PATIENT, 'sk-first\nsecond');
    say(given);
    await given.flush();
    timers.stop();
    expect(errors).toEqual([expect.objectContaining({ provider: name, kind: 'request' })]);
    expect(`${errors[0]?.message} ${errors[0]?.cause}`).not.toMatch(/first|second/);
    expect(timers.where).toEqual([]);
  });

  it('nothing without a server', async () => {
    const { url, key } = double;
    await double.close();
    const given = createRecognition({ apiKey: key, baseUrl: url, limits: PATIENT }).open({
      language: 'en-US',
      onResult: () => {},
      onError: (error) => errors.push(error),
    });
    say(given);
    await given.flush();
    expect(errors).toEqual([expect.objectContaining({ kind: 'unavailable' })]);
    double = await createDouble();
  });

  it('nothing after it was closed: pending flushes resolve, and the connection is closed', async () => {
    double.behave({ kind: 'hang' });
    const given = open();
    say(given);
    const flushed = given.flush();
    await until(() => double.requests.length > 0);
    given.close();
    await flushed;
    expect(errors).toEqual([]);
    await until(async () => (await double.openConnections()) === 0);
  });
});
