import { describe, expect, it } from '@jest/globals';
import { createG722Codec } from './codec.ts';

const RATE = 16_000;

/** A tone of 300 Hz in frames of 20 ms, through the codec. */
function passed(hertz: number, amplitude: number): { sent: number[]; heard: number[]; bytes: number } {
  const { encode, decode } = createG722Codec();
  const sent: number[] = [];
  const heard: number[] = [];
  let bytes = 0;
  for (let frame = 0; frame < 50; frame += 1) {
    const samples = Int16Array.from({ length: 320 }, (_, i) =>
      Math.round(amplitude * Math.sin((2 * Math.PI * hertz * (frame * 320 + i)) / RATE)),
    );
    const payload = encode(samples);
    bytes += payload.length;
    sent.push(...samples);
    heard.push(...decode(payload));
  }
  return { sent, heard, bytes };
}

/** Signal to noise ratio in dB, at the delay that fits best (the filters delay by 22 samples). */
function ratioDb(sent: number[], heard: number[]): number {
  const ratios = Array.from({ length: 40 }, (_, delay) => {
    let signal = 0;
    let noise = 0;
    for (let i = 1_600; i < sent.length - 40; i += 1) {
      signal += (sent[i] ?? 0) ** 2;
      noise += ((sent[i] ?? 0) - (heard[i + delay] ?? 0)) ** 2;
    }
    return 10 * Math.log10(signal / noise);
  });
  return Math.max(...ratios);
}

describe('G.722 [sip.9]', () => {
  it('codes 64 kbit/s of which tones of both bands come back', () => {
    for (const hertz of [300, 1_000, 3_000, 5_000]) {
      const { sent, heard, bytes } = passed(hertz, 8_000);
      expect(bytes).toBe(50 * 160);
      expect(ratioDb(sent, heard)).toBeGreaterThan(hertz < 4_000 ? 25 : 10);
    }
  });

  it('survives full scale and silence', () => {
    expect(
      ratioDb(...(Object.values(passed(400, 32_000)).slice(0, 2) as [number[], number[]])),
    ).toBeGreaterThan(20);
    const { heard } = passed(400, 0);
    expect(Math.max(...heard.map(Math.abs))).toBeLessThan(50);
  });
});
