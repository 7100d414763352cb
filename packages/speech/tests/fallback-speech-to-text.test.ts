import { describe, expect, it } from '@jest/globals';
import { createManualClock, tone } from '@parley/media/testing';
import {
  createFallbackSpeechToText,
  type Recognition,
  SpeechError,
  type SpeechErrorKind,
  type SpeechToText,
} from '../src/index.ts';
import { createUtteranceRecognition } from '../src/providers/utterance-recognition.ts';
import { converse, never } from './conversation.ts';
import { createSpeechToTextDouble } from './doubles/speech-to-text-double.ts';
import { PATIENT } from './providers.ts';

const failure = (kind: SpeechErrorKind = 'unavailable'): SpeechError => new SpeechError('double', kind, kind);

describe('createFallbackSpeechToText', () => {
  const setUp = () => {
    const clock = createManualClock(1_000_000);
    const [first, second] = [createSpeechToTextDouble('first'), createSpeechToTextDouble('second', 8_000)];
    const failures: SpeechError[] = [];
    const stt = createFallbackSpeechToText(first, [second], {
      clock,
      onFailure: (error) => failures.push(error),
    });
    const conversation = converse({ stt, clock });
    const hear = (text: string) => {
      conversation.human(text, 600);
      return conversation.until(conversation.port.hear(never));
    };
    /** Who recognized the last turn. */
    const recognizer = async (): Promise<string | undefined> => {
      await conversation.until(conversation.port.say('Yes.', never));
      return conversation.events
        .flatMap((event) => (event.type === 'answered' ? [event.providers.stt] : []))
        .at(-1);
    };
    return { hear, recognizer, pass: conversation.pass, first, second, failures };
  };

  it('opens a failed stream again with the same audio', async () => {
    const { hear, first, second, failures } = setUp();
    first.willFail(failure());
    first.willHear('Hello there.');
    const heard = await hear('unused');
    expect(heard.text).toBe('Hello there.');
    expect(heard.endedAtMs - heard.startedAtMs).toBeGreaterThan(500);
    expect([first.opened, second.opened, failures.length]).toEqual([2, 0, 1]);
  });

  it('passes the audio to the second provider', async () => {
    const { hear, recognizer, first, second } = setUp();
    first.willHear('Good morning.');
    await hear('unused');
    expect(await recognizer()).toBe('first');
    first.willFail(failure(), failure());
    second.willHear('Hello there.');
    expect((await hear('unused')).text).toBe('Hello there.');
    expect([first.opened, second.opened]).toEqual([2, 1]);
    expect(await recognizer()).toBe('second');
  });

  it('forgets a stream that failed while it was being opened', async () => {
    const clock = createManualClock();
    const double = createSpeechToTextDouble('second');
    double.willHear('Hello there.');
    const closed: string[] = [];
    const first: SpeechToText = {
      name: 'first',
      sampleRate: 16_000,
      open: ({ onError }) => {
        onError(failure('credentials'));
        return { push: () => {}, flush: async () => {}, close: () => closed.push('first') };
      },
    };
    const heard: string[] = [];
    const stream = createFallbackSpeechToText(first, [double], { clock }).open({
      language: 'en-US',
      onResult: ({ text }) => heard.push(text),
      onError: ({ message }) => heard.push(message),
    });
    stream.push(tone(300, 600, 16_000));
    await stream.flush();
    expect([heard, closed]).toEqual([['Hello there.'], ['first']]);
  });

  it('abandons a provider that hangs, and one with invalid credentials at once', async () => {
    const { hear, first, second, failures } = setUp();
    first.willFail('hang', failure('credentials'));
    second.willHear('Hello there.');
    expect((await hear('unused')).text).toBe('Hello there.');
    expect(failures.map(({ kind }) => kind)).toEqual(['timeout', 'credentials']);
  });

  it('gives a long utterance, which is recognized as a whole, half of its length more [calls.20]', async () => {
    const clock = createManualClock();
    const slow = createUtteranceRecognition({
      name: 'slow',
      sampleRate: 16_000,
      limits: PATIENT,
      transcribe: () => new Promise((resolve) => clock.timer(5_000, () => resolve('a long story'))),
    });
    const heard: string[] = [];
    const stream = createFallbackSpeechToText(slow, [], { clock, timeoutMs: 2_000 }).open({
      language: 'en-US',
      onResult: ({ text }) => heard.push(text),
      onError: ({ message }) => heard.push(message),
    });
    const hear = async (ms: number): Promise<string[]> => {
      stream.push(tone(300, ms, 16_000));
      const flushed = stream.flush();
      for (let left = 6_000; left > 0; left -= 500) {
        clock.advance(500);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await flushed;
      return heard.splice(0);
    };
    expect(await hear(8_000)).toEqual(['a long story']);
    expect(await hear(6_000)).toEqual(['slow: No final words within 5000 ms']);
  });

  it('returns to a provider that may have recovered when the other one fails a minute later', async () => {
    const { hear, pass, first, second } = setUp();
    first.willFail(failure('credentials'));
    second.willHear('Hello there.');
    expect((await hear('unused')).text).toBe('Hello there.');
    await pass(61_000);
    second.willFail(failure('credentials'));
    first.willHear('It is me again.');
    expect((await hear('unused')).text).toBe('It is me again.');
    expect([first.opened, second.opened]).toEqual([2, 1]);
  });

  it('reports the error when no provider is left', async () => {
    const { hear, first, second } = setUp();
    first.willFail(failure('credentials'));
    second.willFail(failure(), failure('timeout'));
    await expect(hear('unused')).rejects.toMatchObject({ name: 'SpeechError', kind: 'timeout' });
  });

  it('times words by the audio of the conversation, also after a change of provider', async () => {
    const clock = createManualClock();
    const double = createSpeechToTextDouble('double', 8_000);
    const results: Recognition[] = [];
    const stream = createFallbackSpeechToText(double, [], { clock }).open({
      language: 'en-US',
      onResult: (result) => results.push(result),
      onError: (error) => {
        throw error;
      },
    });
    const speak = (): void => {
      stream.push(new Int16Array(8_000));
      stream.push(tone(300, 500, 8_000));
    };
    double.willHear('one', 'two');
    speak();
    await stream.flush();
    double.willFail(failure());
    speak();
    await stream.flush();
    expect(results.map(({ startMs }) => startMs)).toEqual([1_000, 2_500]);
  });
});
