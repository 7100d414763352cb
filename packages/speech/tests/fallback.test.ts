import { describe, expect, it } from '@jest/globals';
import { createManualClock, tone } from '@parley/media/testing';
import {
  createFallbackSpeechToText,
  createFallbackTextToSpeech,
  type Recognition,
  SpeechError,
  type SpeechErrorKind,
  type SpeechToText,
  type TextToSpeech,
} from '../src/index.ts';
import { createUtteranceRecognition } from '../src/providers/utterance-recognition.ts';
import { converse, never } from './conversation.ts';
import { createSpeechToTextDouble } from './doubles/speech-to-text-double.ts';
import { createTextToSpeechDouble, MS_PER_CHARACTER } from './doubles/text-to-speech-double.ts';
import { PATIENT } from './providers.ts';

const failure = (kind: SpeechErrorKind = 'unavailable'): SpeechError => new SpeechError('double', kind, kind);

async function* stream(text: string): AsyncGenerator<string> {
  yield text;
}

describe('createFallbackTextToSpeech', () => {
  const setUp = () => {
    const clock = createManualClock(1_000_000);
    const [first, second] = [createTextToSpeechDouble('first'), createTextToSpeechDouble('second', 24_000)];
    const failures: SpeechError[] = [];
    const tts = createFallbackTextToSpeech(first, [{ tts: second, voiceId: 'other' }], {
      clock,
      onFailure: (error) => failures.push(error),
    });
    const conversation = converse({ tts, clock });
    const say = async (text: string): Promise<number> => {
      const before = conversation.sent.length;
      await conversation.until(conversation.port.say(text, never));
      return conversation.sent.slice(before).filter(({ source }) => source === 'audio').length * 20;
    };
    return { conversation, say, first, second, failures };
  };
  const TEXT = 'One moment please.';
  const TEXT_MS = TEXT.length * MS_PER_CHARACTER;

  it('retries a failed request once', async () => {
    const { say, first, second, failures } = setUp();
    first.willFail(failure());
    expect(Math.abs((await say(TEXT)) - TEXT_MS)).toBeLessThanOrEqual(20);
    expect([first.spoken.length, second.spoken.length, failures.length]).toEqual([2, 0, 1]);
  });

  it('switches to the second provider in its own voice, and prefers it for a while', async () => {
    const { say, first, second } = setUp();
    first.willFail(failure(), failure());
    await say(TEXT);
    await say(TEXT);
    expect(first.spoken).toHaveLength(2);
    expect(second.voices).toEqual(['other', 'other']);
  });

  it('does not retry permanent failures', async () => {
    const { say, first, second } = setUp();
    first.willFail(failure('credentials'));
    await say(TEXT);
    expect([first.spoken.length, second.spoken.length]).toEqual([1, 1]);
  });

  it('continues where interrupted audio stopped', async () => {
    const { say, first, second } = setUp();
    first.chunksBeforeFailure = 3;
    first.willFail(failure(), failure());
    expect(Math.abs((await say(TEXT)) - TEXT_MS)).toBeLessThanOrEqual(20);
    expect(second.spoken).toEqual([TEXT]);
  });

  it('retries once a provider that breaks off in the middle, even if it retries requests itself', async () => {
    const { conversation, second } = setUp();
    const double = createTextToSpeechDouble('repeating');
    const tts = createFallbackTextToSpeech({ ...double, repeats: true }, [{ tts: second }], conversation);
    const say = async (): Promise<void> => {
      for await (const _ of tts.speak(stream(TEXT), { language: 'en-US', signal: never }));
    };
    double.willFail(failure());
    await say();
    expect([double.spoken.length, second.spoken.length]).toEqual([1, 1]);
    await conversation.pass(40_000);
    double.willFail(failure());
    double.chunksBeforeFailure = 3;
    await say();
    expect([double.spoken.length, second.spoken.length]).toEqual([3, 1]);
  });

  it('counts what was heard without the word times of a failed attempt', async () => {
    const { conversation, first } = setUp();
    first.hasWords = true;
    first.chunksBeforeFailure = 2;
    first.willFail(failure(), failure());
    const said = conversation.port.say('One two three four five six seven eight.', never);
    await conversation.pass(1_300);
    conversation.human('Stop that please.', 1_000);
    const { text } = await conversation.until(said);
    expect(text.split(' ').length).toBeGreaterThan(3);
  });

  it('abandons a provider that hangs', async () => {
    const { say, first, second, failures } = setUp();
    first.willFail('hang', 'hang');
    await say(TEXT);
    expect(second.spoken).toEqual([TEXT]);
    expect(failures.map(({ kind }) => kind)).toEqual(['timeout', 'timeout']);
  });

  it('abandons a provider whose audio comes more slowly than it is spoken', async () => {
    const { conversation, second } = setUp();
    const { clock } = conversation;
    const slow: TextToSpeech = {
      name: 'slow',
      sampleRate: 16_000,
      async *speak() {
        for (;;) {
          await new Promise<void>((resolve) => clock.timer(1_000, resolve));
          yield tone(440, 20, 16_000);
        }
      },
    };
    const failures: SpeechErrorKind[] = [];
    const onFailure = ({ kind }: SpeechError): void => void failures.push(kind);
    const tts = createFallbackTextToSpeech(slow, [{ tts: second }], { clock, onFailure });
    const speak = async (): Promise<void> => {
      for await (const _ of tts.speak(stream(TEXT), { language: 'en-US', signal: never }));
    };
    const beganAtMs = clock.nowMs();
    await conversation.until(speak());
    expect(second.spoken).toEqual([TEXT]);
    expect(failures).toEqual(['timeout']);
    expect(clock.nowMs() - beganAtMs).toBeLessThan(8_000);
  });

  describe('when a provider stalls while its audio is heard [calls.20]', () => {
    const [timeoutMs, silenceMs] = [6_000, 3_000];
    const setUp = () => {
      const clock = createManualClock(1_000_000);
      const [first, second] = [createTextToSpeechDouble('first'), createTextToSpeechDouble('second')];
      for (const double of [first, second]) double.chunksBeforeFailure = 3;
      const speak = async (...backups: TextToSpeech[]) => {
        const failures: string[] = [];
        const beganAtMs = clock.nowMs();
        const tts = createFallbackTextToSpeech(
          { ...first, repeats: true },
          backups.map((backup) => ({ tts: { ...backup, repeats: true } })),
          {
            clock,
            timeoutMs,
            silenceMs,
            onFailure: ({ provider, kind }) => failures.push(`${provider} ${kind}`),
          },
        );
        let samples = 0;
        const said = (async () => {
          for await (const { length } of tts.speak(stream(TEXT), { language: 'en-US', signal: never }))
            samples += length;
        })();
        const { until } = converse({ clock });
        const outcome = await until(said).then(
          () => 'spoken',
          () => 'failed',
        );
        return { outcome, failures, audioMs: samples / 16, waitedMs: clock.nowMs() - beganAtMs };
      };
      return { first, second, speak };
    };

    it('goes on with the next one after one timeout', async () => {
      const { first, second, speak } = setUp();
      first.willFail('hang');
      const { outcome, failures, audioMs, waitedMs } = await speak(second);
      expect({ outcome, failures, audioMs }).toEqual({
        outcome: 'spoken',
        failures: ['first timeout'],
        audioMs: TEXT_MS,
      });
      expect(first.spoken).toHaveLength(1);
      expect(waitedMs).toBeLessThan(silenceMs + 500);
    });

    it('repeats it once where there is no other, or the other fails at once', async () => {
      const { first, second, speak } = setUp();
      first.willFail('hang');
      expect(await speak()).toMatchObject({ outcome: 'spoken', audioMs: TEXT_MS });
      first.willFail('hang');
      second.chunksBeforeFailure = 0;
      second.willFail(new SpeechError('second', 'credentials', 'wrong key'));
      const { outcome, failures, audioMs } = await speak(second);
      expect({ outcome, audioMs }).toEqual({ outcome: 'spoken', audioMs: TEXT_MS });
      expect(failures).toEqual(['first timeout', 'second credentials']);
    });

    it.each([0, 3])(
      'fails after two timeouts, if the second one comes after %i pieces of audio',
      async (pieces) => {
        const alone = setUp();
        alone.first.willFail('hang', 'hang', 'hang');
        const both = setUp();
        both.first.willFail('hang', 'hang');
        both.second.willFail('hang', 'hang');
        both.second.chunksBeforeFailure = pieces;
        const outcomes = [await alone.speak(), await both.speak(both.second)];
        expect(outcomes.map(({ outcome, failures }) => [outcome, ...failures])).toEqual([
          ['failed', 'first timeout', 'first timeout'],
          ['failed', 'first timeout', 'second timeout'],
        ]);
        for (const { waitedMs } of outcomes) expect(waitedMs).toBeLessThan(2 * silenceMs + 500);
      },
    );
  });

  it('rejects when no provider can speak', async () => {
    const { say, first, second } = setUp();
    first.willFail(failure(), failure());
    second.willFail(failure(), failure('rate_limit'));
    await expect(say(TEXT)).rejects.toMatchObject({ name: 'SpeechError', kind: 'rate_limit' });
  });
});

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
    return { hear, pass: conversation.pass, first, second, failures };
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
    const { hear, first, second } = setUp();
    first.willFail(failure(), failure());
    second.willHear('Hello there.');
    expect((await hear('unused')).text).toBe('Hello there.');
    expect([first.opened, second.opened]).toEqual([2, 1]);
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

  it('gives a long utterance, which is recognised as a whole, half of its length more [calls.20]', async () => {
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
