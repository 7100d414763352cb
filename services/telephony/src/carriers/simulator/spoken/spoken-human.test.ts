import { expect, it } from '@jest/globals';
import { createClock } from '@parley/kit/time';
import { type AudioFrame, FRAME_MS, type MediaSession, samplesIn } from '@parley/media';
import { behaviorOf } from './human-behavior.ts';
import { createSpokenHuman, type HumanVoice } from './spoken-human.ts';

const SAMPLE_RATE = 16_000;
const QUIET_MS = 700;
/** What the voice takes for a line, and the silence that it begins with. */
const SYNTHESIS_MS = 600;
const SILENCE_MS = 200;
/** "Hello Grace, this is Ada." */
const GREETING_MS = 1_500;
/** Until the words of the human are recognized. */
const PAUSED_MS = 1_600;

it('a human who interrupts begins 1.2 s into the speech of the assistant, however long its voice takes [running.11]', async () => {
  const { line, hear, nowMs, heardAtMs } = lineUnderTest();
  const human = newHuman({
    number: '+15550110013',
    says: 'Stop, please.',
    line,
    voice: voiceThatTakes(SYNTHESIS_MS, nowMs),
    clock: createClock({ rate: 1, originMs: 0 }),
  });
  human.start();
  await hear(0, QUIET_MS);
  await hear(9_000, GREETING_MS);
  await hear(0, QUIET_MS);
  human.stop();
  expect(heardAtMs()).toBeGreaterThanOrEqual(QUIET_MS + 1_200 - FRAME_MS);
  expect(heardAtMs()).toBeLessThanOrEqual(QUIET_MS + 1_200 + 2 * FRAME_MS);
});

it('a human who says that they are listening lets the assistant, which pauses for it, continue [running.11]', async () => {
  const { line, hear, nowMs, clock, plays } = lineUnderTest();
  const human = newHuman({
    number: '+15550110017',
    says: 'Who is this?',
    line,
    voice: voiceThatTakes(0, nowMs),
    clock,
  });
  human.start();
  await hear(0, QUIET_MS);
  await hear(9_000, GREETING_MS);
  await hear(0, PAUSED_MS);
  await hear(9_000, 2 * GREETING_MS);
  expect(plays()).toBe(1);
  await hear(0, PAUSED_MS);
  human.stop();
  expect(plays()).toBe(2);
});

type Options = Parameters<typeof createSpokenHuman>[0];
type Human = Pick<Options, 'line' | 'voice' | 'clock'> & { number: string; says: string };

/** A human at the beginning of a call. */
function newHuman({ number, says, ...rest }: Human) {
  return createSpokenHuman({
    ...rest,
    script: { kind: 'lines', lines: [says] },
    behavior: behaviorOf(number),
    soFar: { humanTurns: 0, lastSpeaker: null } as never,
    greeting: () => Promise.reject(new Error('no machine')),
    random: Math.random,
    onHangup: () => {},
    onSaid: () => {},
  });
}

/** A line whose time passes by the frames that are heard, and its clock. */
function lineUnderTest() {
  let nowMs = 0;
  let plays = 0;
  const timers = new Set<{ atMs: number; run: () => void }>();
  const timer = (ms: number, run: () => void) => {
    const planned = { atMs: nowMs + ms, run };
    timers.add(planned);
    return () => void timers.delete(planned);
  };
  let heardAtMs = Number.NaN;
  let listener = (_: AudioFrame): void => {};
  const line = {
    sampleRate: SAMPLE_RATE,
    onFrame: (onFrame: typeof listener) => {
      listener = onFrame;
      return () => {};
    },
    play: () => ({
      write: (samples: Int16Array, sampleRate: number) => {
        plays += 1;
        const silent = samples.findIndex((sample) => sample !== 0);
        heardAtMs = nowMs + (silent / sampleRate) * 1_000;
      },
      end: () => {},
      done: new Promise<void>((resolve) => void timer(1_000, resolve)),
    }),
  } as unknown as MediaSession;
  const hear = async (amplitude: number, ms: number): Promise<void> => {
    for (let passedMs = 0; passedMs < ms; passedMs += FRAME_MS) {
      const samples = new Int16Array(samplesIn(FRAME_MS, SAMPLE_RATE)).fill(amplitude);
      nowMs += FRAME_MS;
      listener({ samples, sampleRate: SAMPLE_RATE, atMs: nowMs, source: 'audio' });
      for (const planned of timers) if (planned.atMs <= nowMs && timers.delete(planned)) planned.run();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const clock = { ...createClock({ rate: 1, originMs: 0 }), timer };
  return { line, hear, nowMs: () => nowMs, heardAtMs: () => heardAtMs, clock, plays: () => plays };
}

function voiceThatTakes(ms: number, nowMs: () => number): HumanVoice {
  return async (_, signal) => {
    const readyAtMs = nowMs() + ms;
    while (nowMs() < readyAtMs && !signal.aborted) await new Promise((resolve) => setImmediate(resolve));
    const samples = new Int16Array(samplesIn(1_000, SAMPLE_RATE)).fill(
      9_000,
      samplesIn(SILENCE_MS, SAMPLE_RATE),
    );
    return { samples, sampleRate: SAMPLE_RATE };
  };
}
