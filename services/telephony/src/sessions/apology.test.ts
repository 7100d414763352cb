import { afterEach, describe, expect, it } from '@jest/globals';
import { createMemoryPair, createTicker } from '@parley/media';
import { createManualClock, createRandom, tone } from '@parley/media/testing';
import { SpeechError, type TextToSpeech } from '@parley/speech';
import { readCallConfig } from '../assistants/call-config.ts';
import { apologyIn } from '../speech/fixed-sentences.ts';
import { createApology } from './apology.ts';
import type { SpokenEntry } from './ports.ts';

const RATE = 8_000;
const FRAME_MS = 20;
const SENTENCE_MS = 3_000;
const APOLOGY = apologyIn('en-US');
const gone = new SpeechError('double', 'unavailable', 'gone');

describe('an apology before a call ends [calls.20]', () => {
  let close = (): void => {};
  afterEach(() => close());

  /** Apologizes by a voice that breaks off after so much audio of its first sentence; `hangUpAfterMs`: the call ends. */
  const apologize = async ({ breaksAfterMs = Infinity, hangUpAfterMs = Infinity }) => {
    const clock = createManualClock(1_000_000);
    const ticker = createTicker(clock, (err) => {
      throw err;
    });
    const pair = createMemoryPair({ clock, ticker, random: createRandom(1) });
    close = pair.close;
    const tts: TextToSpeech = {
      name: 'double',
      sampleRate: RATE,
      async *speak() {
        for (let ms = 0; ms < SENTENCE_MS; ms += FRAME_MS) {
          if (ms >= breaksAfterMs) throw gone;
          yield tone(300, FRAME_MS, RATE);
        }
      },
    };
    const noted: SpokenEntry[] = [];
    const hangUp = new AbortController();
    let outcome: unknown = 'pending';
    createApology(async () => ({ tts }))({
      callId: 'call',
      session: pair.near,
      config: readCallConfig({}),
      record: {
        note: (entry) => {
          noted.push(entry);
          return undefined;
        },
        correct: () => {},
      },
      signal: hangUp.signal,
    }).then(
      () => {
        outcome = 'heard';
      },
      (err: unknown) => {
        outcome = err;
      },
    );
    for (let ms = 0; ms < 20_000 && outcome === 'pending'; ms += FRAME_MS) {
      if (ms >= hangUpAfterMs) hangUp.abort(new Error('hung up'));
      clock.advance(FRAME_MS);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { outcome, said: noted.map(({ content }) => content) };
  };

  it('is recorded when it was heard', async () => {
    expect(await apologize({})).toEqual({ outcome: 'heard', said: [APOLOGY] });
  });

  it('rejects and leaves no turn if it cannot be spoken', async () => {
    expect(await apologize({ breaksAfterMs: 0 })).toEqual({ outcome: gone, said: [] });
  });

  it.each([
    ['its voice breaks off', { breaksAfterMs: 1_000 }, 'gone'],
    ['the call ends', { hangUpAfterMs: 1_000 }, 'hung up'],
  ])('rejects when %s, and is recorded as far as it was heard', async (_, options, message) => {
    const { outcome, said } = await apologize(options);
    expect(outcome).toMatchObject({ message: expect.stringContaining(message) });
    expect(said).toHaveLength(1);
    expect(APOLOGY.startsWith(said[0] ?? '-')).toBe(true);
    expect(said[0]?.length).toBeLessThan(APOLOGY.length);
  });
});
