import { describe, expect, it } from '@jest/globals';
import { tone } from '@parley/media/testing';
import { createBeepDetector, createMachineDetector } from './detect-machine.ts';

type Stretch = readonly [fromMs: number, toMs: number];

/** When it is known who has answered, and who it is. */
function judge(stretches: readonly Stretch[], words: Record<number, string> = {}, language = 'en-US') {
  const detector = createMachineDetector(language);
  for (let atMs = 0; atMs <= 4_000; atMs += 20) {
    const text = words[atMs];
    if (text) detector.words(text, atMs);
    detector.speech(
      stretches.some(([from, to]) => atMs >= from && atMs < to),
      atMs,
    );
    const verdict = detector.verdict(atMs);
    if (verdict) return { verdict, atMs };
  }
  return undefined;
}

describe('who has answered [calls.25]', () => {
  it('is a human after a short greeting and a pause', () => {
    expect(judge([[400, 1_000]])).toEqual({ verdict: 'human', atMs: 1_780 });
    expect(judge([[300, 1_900]])?.verdict).toBe('human');
  });

  it('is a machine if the greeting goes on, with the pauses of sentences', () => {
    expect(judge([[300, 9_000]])).toEqual({ verdict: 'machine', atMs: 2_700 });
    const sentences: Stretch[] = [
      [200, 1_400],
      [1_700, 6_000],
    ];
    expect(judge(sentences)?.verdict).toBe('machine');
  });

  it('is a machine by its words, in the language of the assistant and in English', () => {
    const short: Stretch[] = [[200, 1_200]];
    expect(judge(short, { 1000: 'Please leave a message' })).toEqual({ verdict: 'machine', atMs: 1_000 });
    expect(judge(short, { 1000: 'Bitte sprechen Sie nach dem Signalton' }, 'de-DE')?.verdict).toBe('machine');
    expect(judge(short, { 1000: 'You have reached' }, 'de-DE')?.verdict).toBe('machine');
    expect(judge(short, { 1000: 'Hello, Novak?' })?.verdict).toBe('human');
  });

  it('is unknown after four seconds of silence, or if someone speaks late and long', () => {
    expect(judge([])).toEqual({ verdict: 'unknown', atMs: 4_000 });
    expect(judge([[2_500, 9_000]])?.verdict).toBe('unknown');
  });
});

describe('a beep', () => {
  const frames = (samples: Int16Array) =>
    Array.from({ length: samples.length / 160 }, (_, n) => ({
      samples: samples.slice(n * 160, (n + 1) * 160),
      sampleRate: 8_000,
      atMs: n * 20,
      source: 'audio' as const,
    }));

  it('is a tone of 200 ms, at once', () => {
    for (const hertz of [440, 1_000, 1_400]) {
      const detect = createBeepDetector();
      expect(frames(tone(hertz, 400, 8_000)).findIndex(detect)).toBe(9);
    }
  });

  it('is no mix of tones, no short tone and no low hum', () => {
    const mixed = tone(440, 400, 8_000).map((sample, n) => sample / 2 + (tone(700, 400, 8_000)[n] ?? 0) / 2);
    for (const samples of [mixed, tone(1_000, 160, 8_000), tone(120, 400, 8_000)]) {
      expect(frames(samples).some(createBeepDetector())).toBe(false);
    }
  });
});
