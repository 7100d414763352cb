import { expect, it } from '@jest/globals';
import { fuzz } from './fuzz.ts';

it('malformed RTP, RTCP and Opus packets do no harm (`npm run chaos -- media-fuzz` sends a million)', async () => {
  const result = await fuzz({ packets: 5_000, seed: 1 });
  expect(result.badFrames).toBe(0);
  expect(result.maxBufferMs).toBeLessThan(20_000);
  // Both ways were taken.
  for (const count of [result.used, result.refused, result.decoded, result.undecodable]) {
    expect(count).toBeGreaterThan(100);
  }
});
