import { describe, expect, it } from '@jest/globals';
import { createManualClock, tone } from '@parley/media/testing';
import {
  createFallbackSpeechToText,
  createFallbackTextToSpeech,
  createProviderCircuits,
  SpeechError,
  type SpeechErrorKind,
  type SpeechToText,
  type TextToSpeech,
} from '../src/index.ts';
import { converse, never } from './conversation.ts';
import { createSpeechToTextDouble } from './doubles/speech-to-text-double.ts';
import { createTextToSpeechDouble } from './doubles/text-to-speech-double.ts';

const [timeoutMs, silenceMs] = [6_000, 3_000];
const PROBE_AFTER_MS = 31_000;
const TEXT = 'One moment please.';

async function* stream(text: string): AsyncGenerator<string> {
  yield text;
}

function setUp() {
  const clock = createManualClock(1_000_000);
  const changes: string[] = [];
  const circuits = createProviderCircuits({
    clock,
    onChange: (provider, isOpen) => changes.push(`${provider} ${isOpen ? 'open' : 'closed'}`),
  });
  const { until, pass } = converse({ clock });
  return { clock, changes, circuits, until, pass };
}

describe('a voice that is down, for the calls after the first one [calls.20]', () => {
  const setUpVoices = () => {
    const { clock, changes, circuits, until, pass } = setUp();
    const [first, second] = [createTextToSpeechDouble('first'), createTextToSpeechDouble('second')];
    const fail = (...kinds: (SpeechErrorKind | 'hang')[]): void =>
      first.willFail(...kinds.map((kind) => (kind === 'hang' ? kind : new SpeechError('first', kind, kind))));
    /** A call that says one sentence: who was asked, and the silence before it. */
    const call = async ({ backups = [second], signal = never } = {}) => {
      const before = [first.spoken.length, second.spoken.length] as const;
      const tts = createFallbackTextToSpeech(
        circuits.observe(first),
        backups.map((backup) => ({ tts: circuits.observe(backup) })),
        { clock, timeoutMs, silenceMs, circuits },
      );
      const beganAtMs = clock.nowMs();
      const said = (async () => {
        for await (const _ of tts.speak(stream(TEXT), { language: 'en-US', signal }));
      })();
      const outcome = await until(said).then(
        () => 'spoken',
        () => 'failed',
      );
      return {
        outcome,
        asked: [first.spoken.length - before[0], second.spoken.length - before[1]],
        waitedMs: clock.nowMs() - beganAtMs,
      };
    };
    return { first, second, fail, call, changes, circuits, pass };
  };
  const AT_ONCE = { outcome: 'spoken', asked: [0, 1], waitedMs: expect.any(Number) };

  it('the first call tries it twice; the next ones use the second provider at once', async () => {
    const { fail, call, changes } = setUpVoices();
    fail('hang', 'hang');
    const met = await call();
    expect(met).toMatchObject({ outcome: 'spoken', asked: [2, 1] });
    expect(met.waitedMs).toBeGreaterThanOrEqual(2 * timeoutMs - 100);
    for (let n = 0; n < 3; n += 1) {
      const next = await call();
      expect(next).toEqual(AT_ONCE);
      expect(next.waitedMs).toBeLessThan(100);
    }
    expect(changes).toEqual(['first open']);
  });

  it('one call tries it once, for one timeout, after half a minute, until it works again', async () => {
    const { fail, call, changes, pass } = setUpVoices();
    fail('hang', 'hang');
    await call();
    await pass(PROBE_AFTER_MS);
    fail('hang');
    const probe = await call();
    expect(probe).toMatchObject({ outcome: 'spoken', asked: [1, 1] });
    expect(probe.waitedMs).toBeLessThan(silenceMs + 100);
    expect(await call()).toEqual(AT_ONCE);
    await pass(PROBE_AFTER_MS);
    expect(await call()).toMatchObject({ outcome: 'spoken', asked: [1, 0] });
    expect(await call()).toMatchObject({ outcome: 'spoken', asked: [1, 0] });
    expect(changes).toEqual(['first open', 'first closed']);
  });

  it('it is still the last resort, and one without a second provider is tried as usual', async () => {
    const { second, fail, call } = setUpVoices();
    fail('hang', 'hang');
    await call();
    second.willFail(...Array.from({ length: 2 }, () => new SpeechError('second', 'unavailable', 'down')));
    expect(await call()).toMatchObject({ outcome: 'spoken', asked: [1, 2] });
    const alone = setUpVoices();
    alone.fail('unavailable', 'unavailable');
    expect(await alone.call({ backups: [] })).toMatchObject({ outcome: 'failed', asked: [2, 0] });
    await alone.pass(PROBE_AFTER_MS);
    alone.fail('unavailable');
    expect(await alone.call({ backups: [] })).toMatchObject({ outcome: 'spoken', asked: [2, 0] });
  });

  it('a sentence from a cache does not use up the attempt after half a minute', async () => {
    const { fail, call, circuits, pass } = setUpVoices();
    fail('hang', 'hang');
    await call();
    await pass(PROBE_AFTER_MS);
    const cached: TextToSpeech = {
      ...createTextToSpeechDouble('first'),
      speak: async function* () {
        yield new Int16Array(160);
      },
    };
    const tts = createFallbackTextToSpeech(cached, [{ tts: createTextToSpeechDouble('second') }], {
      ...{ clock: createManualClock(), circuits },
    });
    for await (const _ of tts.speak(stream(TEXT), { language: 'en-US', signal: never }));
    expect(await call()).toMatchObject({ outcome: 'spoken', asked: [1, 0] });
  });

  it('it is not probed if no other one works: they are tried in their order', async () => {
    const { circuits, pass } = setUp();
    circuits.failed('first', 'unavailable');
    circuits.failed('second', 'unavailable');
    await pass(PROBE_AFTER_MS);
    const arrange = () => circuits.arrange(['first', 'second'], (name) => name);
    expect(arrange()).toEqual({ attempts: ['first', 'second'], probe: undefined });
    circuits.worked('second');
    expect(arrange()).toEqual({ attempts: ['first', 'second'], probe: 'first' });
  });

  it('a text without audio does not count as working', async () => {
    const { circuits } = setUp();
    circuits.failed('first', 'unavailable');
    const empty = circuits.observe({
      ...createTextToSpeechDouble('first'),
      speak: async function* () {
        yield new Int16Array(0);
      },
    });
    for await (const _ of empty.speak(stream(TEXT), { language: 'en-US', signal: never }));
    expect(circuits.isOpen('first')).toBe(true);
  });

  it.each([
    ['request', 1],
    ['protocol', 2],
  ] as const)('a failure of the kind %s says nothing about other calls', async (kind, attempts) => {
    const { fail, call, changes } = setUpVoices();
    fail(...Array.from({ length: attempts }, () => kind));
    expect(await call()).toMatchObject({ outcome: 'spoken', asked: [attempts, 1] });
    expect(await call()).toMatchObject({ asked: [1, 0] });
    expect(changes).toEqual([]);
  });

  it('one failure beside calls for which it works, and a sentence that is interrupted, say nothing either', async () => {
    const { fail, call, changes } = setUpVoices();
    await call();
    fail('unavailable', 'unavailable');
    expect(await call()).toMatchObject({ outcome: 'spoken', asked: [2, 1] });
    expect(await call()).toMatchObject({ asked: [1, 0] });
    expect(changes).toEqual([]);
    const idle = setUpVoices();
    idle.fail('hang');
    const interruption = new AbortController();
    const interrupted = idle.call({ signal: interruption.signal });
    await idle.pass(500);
    interruption.abort();
    expect(await interrupted).toMatchObject({ outcome: 'failed' });
    expect(await idle.call()).toMatchObject({ asked: [1, 0] });
    expect(idle.changes).toEqual([]);
  });
});

describe('a recognition that is down, for the calls after the first one [calls.20]', () => {
  const setUpEars = ({ repeats = false } = {}) => {
    const { clock, changes, circuits, until, pass } = setUp();
    const [first, second] = [createSpeechToTextDouble('first'), createSpeechToTextDouble('second')];
    const opened = { first: 0, second: 0 };
    const counted = (stt: SpeechToText, name: keyof typeof opened): SpeechToText => ({
      ...stt,
      repeats,
      open: (options) => {
        opened[name] += 1;
        return stt.open(options);
      },
    });
    /** A call that is open; `say`: the human says one sentence. */
    const open = () => {
      const before = { ...opened };
      const heard: string[] = [];
      const stt = createFallbackSpeechToText(counted(first, 'first'), [counted(second, 'second')], {
        ...{ clock, timeoutMs, silenceMs, circuits },
      });
      const line = stt.open({
        language: 'en-US',
        onResult: ({ text }) => heard.push(text),
        onError: ({ kind }) => heard.push(kind),
      });
      const say = async () => {
        first.willHear('hello');
        second.willHear('hello');
        const beganAtMs = clock.nowMs();
        line.push(tone(300, 600, 16_000));
        await until(line.flush());
        return {
          heard: heard.splice(0),
          opened: [opened.first - before.first, opened.second - before.second],
          waitedMs: clock.nowMs() - beganAtMs,
        };
      };
      return { say, close: line.close };
    };
    /** A call in which the human says one sentence. */
    const call = async () => {
      const { say, close } = open();
      const said = await say();
      close();
      return said;
    };
    return { first, open, call, changes, pass };
  };

  it.each([false, true])(
    'they are heard by the second one at once (it repeats by itself: %s)',
    async (repeats) => {
      const { first, call, changes, pass } = setUpEars({ repeats });
      const attempts = repeats ? 1 : 2;
      first.willFail(...Array.from({ length: attempts }, () => 'hang' as const));
      const met = await call();
      expect(met).toMatchObject({ heard: ['hello'], opened: [attempts, 1] });
      expect(met.waitedMs).toBeGreaterThanOrEqual(attempts * timeoutMs - 100);
      const next = await call();
      expect(next).toMatchObject({ heard: ['hello'], opened: [0, 1] });
      expect(next.waitedMs).toBeLessThan(100);
      expect(changes).toEqual(['first open']);
      await pass(PROBE_AFTER_MS);
      first.willFail('hang');
      const probe = await call();
      expect(probe).toMatchObject({ heard: ['hello'], opened: [1, 1] });
      expect(probe.waitedMs).toBeLessThan(silenceMs + 100);
      expect(await call()).toMatchObject({ opened: [0, 1] });
      await pass(PROBE_AFTER_MS);
      expect(await call()).toMatchObject({ heard: ['hello'], opened: [1, 0] });
      expect(await call()).toMatchObject({ heard: ['hello'], opened: [1, 0] });
      expect(changes).toEqual(['first open', 'first closed']);
    },
  );

  it('a stream that was a probe has its whole timeout once it has worked', async () => {
    const { first, open, call, pass } = setUpEars();
    first.willFail('hang', 'hang');
    await call();
    await pass(PROBE_AFTER_MS);
    const { say } = open();
    expect(await say()).toMatchObject({ heard: ['hello'], opened: [1, 0] });
    first.willFail('hang');
    expect((await say()).waitedMs).toBeGreaterThanOrEqual(timeoutMs - 100);
  });

  it('a stream that was a probe is opened again when it fails a minute later', async () => {
    const { first, open, call, pass } = setUpEars();
    first.willFail('hang', 'hang');
    await call();
    await pass(PROBE_AFTER_MS);
    const { say } = open();
    await pass(61_000);
    first.willFail('hang');
    expect(await say()).toMatchObject({ heard: ['hello'], opened: [2, 0] });
  });
});
