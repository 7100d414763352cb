import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import { createManualClock } from '@parley/media/testing';
import type { RecordedPort } from './recorded-port.ts';
import { createSessionLife } from './session-life.ts';
import { askForLostWords, watchSilence } from './watch-audio.ts';

const PROMPT_MS = 1_000;

/** A silence of both sides on a clock that the test moves; a prompt takes a second. */
function silence(timeoutMs: number) {
  const time = createManualClock(1_000_000);
  const beganMs = time.nowMs();
  let steppedMs = 0;
  const now = (): Date => new Date(time.nowMs() + steppedMs);
  const clock: Clock = { ...({} as Clock), rate: 1, now, realNow: now, timer: time.timer };
  let silentSinceMs: number | null = beganMs;
  const asked: number[] = [];
  const ended: number[] = [];
  const port = { silentSinceMs: () => silentSinceMs } as RecordedPort;
  const stop = watchSilence(
    createSessionLife(clock, createLogger({ service: 'telephony', level: 'silent' })),
    { clock, media: time },
    {
      port,
      timeoutMs,
      prompt: async () => {
        asked.push(time.nowMs() - beganMs);
        silentSinceMs = null;
        time.timer(PROMPT_MS, () => {
          silentSinceMs = time.nowMs();
        });
        await new Promise<void>((resolve) => void time.timer(PROMPT_MS, resolve));
      },
      onTimeout: () => ended.push(time.nowMs() - beganMs),
    },
  );
  return {
    asked,
    ended,
    stop,
    stepClock: (ms: number) => {
      steppedMs += ms;
    },
    pass: async (ms: number) => {
      for (let n = 0; n < ms; n += 100) {
        time.advance(100);
        await Promise.resolve();
        await Promise.resolve();
      }
    },
    sound: () => {
      silentSinceMs = time.nowMs();
    },
  };
}

describe('a silence in a spoken call [calls.26]', () => {
  it('lets the assistant ask once, and ends at the timeout, the prompt not counted', async () => {
    const { asked, ended, pass } = silence(30_000);
    await pass(29_000);
    expect(asked).toEqual([15_000]);
    expect(ended).toEqual([]);
    await pass(4_000);
    expect(asked).toHaveLength(1);
    expect(ended).toHaveLength(1);
    expect(ended[0]).toBeGreaterThanOrEqual(30_000 + PROMPT_MS);
    expect(ended[0]).toBeLessThan(32_500);
  });

  it('begins anew at a sound of the human', async () => {
    const { asked, ended, pass, sound } = silence(30_000);
    await pass(20_000);
    sound();
    await pass(14_000);
    expect([asked.length, ended.length]).toEqual([1, 0]);
    await pass(3_000);
    expect([asked.length, ended.length]).toEqual([2, 0]);
  });

  it('is not longer because the clock of the machine was set', async () => {
    const { asked, ended, pass, stepClock } = silence(30_000);
    await pass(1_000);
    stepClock(3_600_000);
    await pass(13_000);
    expect([asked, ended]).toEqual([[], []]);
    await pass(2_000);
    expect([asked, ended]).toEqual([[15_000], []]);
  });

  it('is over when the human speaks', async () => {
    const { asked, ended, pass, stop } = silence(10_000);
    await pass(1_000);
    stop();
    await pass(20_000);
    expect([asked.length, ended.length]).toEqual([0, 0]);
  });
});

describe('a spoken call that was taken over in the turn of the human [calls.17]', () => {
  function takenOver(firstSoundMs?: number) {
    const time = createManualClock(1_000_000);
    const beganMs = time.nowMs();
    const now = (): Date => new Date(time.nowMs());
    const clock: Clock = { ...({} as Clock), rate: 1, now, realNow: now, timer: time.timer };
    const life = createSessionLife(clock, createLogger({ service: 'telephony', level: 'silent' }));
    const asked: number[] = [];
    const port = {
      silentSinceMs: () =>
        firstSoundMs !== undefined && time.nowMs() >= beganMs + firstSoundMs
          ? beganMs + firstSoundMs
          : beganMs,
    };
    const stop = askForLostWords(life, { clock, media: time }, port, async () => {
      asked.push(time.nowMs() - beganMs);
    });
    return { asked, stop, pass: (ms: number) => time.advance(ms) };
  }

  it('is asked once to say it again, if nobody speaks', () => {
    const { asked, pass } = takenOver();
    pass(1_400);
    expect(asked).toEqual([]);
    pass(10_000);
    expect(asked).toEqual([1_500]);
  });

  it('is not asked if the human speaks, or has spoken', () => {
    const speaking = takenOver(700);
    speaking.pass(10_000);
    expect(speaking.asked).toEqual([]);
    const answered = takenOver();
    answered.pass(700);
    answered.stop();
    answered.pass(10_000);
    expect(answered.asked).toEqual([]);
  });
});
