import { describe, expect, it } from '@jest/globals';
import { createManualClock, tone } from '@parley/media/testing';
import {
  createFallbackTextToSpeech,
  SpeechError,
  type SpeechErrorKind,
  type TextToSpeech,
} from '../src/index.ts';
import { converse, never } from './conversation.ts';
import { createTextToSpeechDouble, MS_PER_CHARACTER } from './doubles/text-to-speech-double.ts';

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

  it('says who spoke the answer, which is not the provider that failed', async () => {
    const { conversation, say, first } = setUp();
    const answer = async (): Promise<string | undefined> => {
      conversation.human('Hello there.', 600);
      await conversation.until(conversation.port.hear(never));
      await say(TEXT);
      return conversation.events
        .flatMap((event) => (event.type === 'answered' ? [event.providers.tts] : []))
        .at(-1);
    };
    expect(await answer()).toBe('first');
    first.chunksBeforeFailure = 3;
    first.willFail(failure(), failure('credentials'));
    expect(await answer()).toBe('first');
    expect(await answer()).toBe('second');
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
      const failures: string[] = [];
      const voiceOf = (...backups: TextToSpeech[]) =>
        createFallbackTextToSpeech(
          { ...first, repeats: true },
          backups.map((backup) => ({ tts: { ...backup, repeats: true } })),
          {
            clock,
            timeoutMs,
            silenceMs,
            onFailure: ({ provider, kind }) => failures.push(`${provider} ${kind}`),
          },
        );
      const speak = async (tts: TextToSpeech) => {
        const beganAtMs = clock.nowMs();
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
        const waitedMs = clock.nowMs() - beganAtMs;
        return { outcome, failures: failures.splice(0), audioMs: samples / 16, waitedMs };
      };
      return { first, second, voiceOf, speak };
    };

    it('goes on with the next one after one timeout', async () => {
      const { first, second, voiceOf, speak } = setUp();
      first.willFail('hang');
      const { outcome, failures, audioMs, waitedMs } = await speak(voiceOf(second));
      expect({ outcome, failures, audioMs }).toEqual({
        outcome: 'spoken',
        failures: ['first timeout'],
        audioMs: TEXT_MS,
      });
      expect(first.spoken).toHaveLength(1);
      expect(waitedMs).toBeLessThan(silenceMs + 500);
    });

    it('repeats it once where there is no other, or the other fails at once', async () => {
      const { first, second, voiceOf, speak } = setUp();
      first.willFail('hang');
      expect(await speak(voiceOf())).toMatchObject({ outcome: 'spoken', audioMs: TEXT_MS });
      first.willFail('hang');
      second.chunksBeforeFailure = 0;
      second.willFail(new SpeechError('second', 'credentials', 'wrong key'));
      const { outcome, failures, audioMs } = await speak(voiceOf(second));
      expect({ outcome, audioMs }).toEqual({ outcome: 'spoken', audioMs: TEXT_MS });
      expect(failures).toEqual(['first timeout', 'second credentials']);
    });

    it('has one timeout for the apology, if no other has spoken in the last 30 s', async () => {
      const { first, voiceOf, speak } = setUp();
      first.chunksBeforeFailure = 0;
      first.willFail('hang', 'hang', 'hang');
      const voice = voiceOf();
      expect((await speak(voice)).waitedMs).toBeGreaterThan(timeoutMs - 500);
      const { outcome, waitedMs } = await speak(voice);
      expect(outcome).toBe('failed');
      expect(waitedMs).toBeLessThan(silenceMs + 500);
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
        const outcomes = [await alone.speak(alone.voiceOf()), await both.speak(both.voiceOf(both.second))];
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
