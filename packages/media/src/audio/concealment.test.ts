import { describe, expect, it } from '@jest/globals';
import { shareOf, tone } from '../testing/signals.ts';
import { createConcealer, shorten } from './concealment.ts';
import { concatenate } from './frame.ts';

const RATE = 8_000;

describe('createConcealer', () => {
  it.each([8_000, 16_000, 48_000])('at %i Hz continues a voiced sound through a lost frame', (rate) => {
    const signal = tone(200, 100, rate);
    const concealer = createConcealer(rate);
    concealer.accept(signal.subarray(0, rate * 0.06));
    const lost = concealer.conceal(rate * 0.02);
    expect(shareOf(200, lost, rate)).toBeGreaterThan(0.9);
    // No click where it joins.
    expect(Math.abs((lost[0] ?? 0) - (signal[rate * 0.06] ?? 0))).toBeLessThan(1_500);
  });

  it('blends into the following audio without a jump', () => {
    const signal = tone(210, 200, RATE);
    const concealer = createConcealer(RATE);
    const output = [];
    for (let frame = 0; frame < 10; frame += 1) {
      const samples = signal.subarray(frame * 160, (frame + 1) * 160);
      output.push(frame === 5 ? concealer.conceal(160) : concealer.accept(samples));
    }
    const joined = concatenate(output);
    const jumps = joined.subarray(1).map((sample, n) => Math.abs(sample - (joined[n] ?? 0)));
    const ordinary = (2 * Math.PI * 210 * 8_000) / RATE;
    expect(Math.max(...jumps)).toBeLessThan(2 * ordinary);
  });

  it('fades to silence within 60 ms', () => {
    const concealer = createConcealer(RATE);
    concealer.accept(tone(200, 60, RATE));
    const first = concealer.conceal(160);
    const third = [concealer.conceal(160), concealer.conceal(160)][1] ?? first;
    const fourth = concealer.conceal(160);
    expect(peakOf(third)).toBeLessThan(peakOf(first));
    expect(peakOf(fourth)).toBe(0);
  });

  it('is silent before any audio was received', () => {
    expect(peakOf(createConcealer(RATE).conceal(160))).toBe(0);
  });
});

describe('shorten', () => {
  it('removes one period without a click', () => {
    const signal = tone(200, 50, RATE);
    const output = shorten(signal, RATE);
    expect(signal.length - output.length).toBeGreaterThanOrEqual(20);
    expect(signal.length - output.length).toBeLessThanOrEqual(120);
    expect(shareOf(200, output, RATE)).toBeGreaterThan(0.9);
    const jumps = output.subarray(1).map((sample, n) => Math.abs(sample - (output[n] ?? 0)));
    expect(Math.max(...jumps)).toBeLessThan(2 * ((2 * Math.PI * 200 * 8_000) / RATE));
  });

  it('leaves short audio unchanged', () => {
    const signal = tone(200, 20, RATE);
    expect(shorten(signal, RATE)).toBe(signal);
  });
});

function peakOf(samples: Int16Array): number {
  return samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
}
