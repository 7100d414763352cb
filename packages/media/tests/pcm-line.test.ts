import { describe, expect, it } from '@jest/globals';
import { createMediaSession, createPcmLine, type PcmLine } from '../src/index.ts';
import { farEnd, type MediaSetup, manualTime, mediaSessionContract } from '../src/testing/index.ts';

// The contract of media sessions over a stream of PCM. Keys travel beside it, as messages of the protocol above.

const RATE = 24_000;
const BESIDE_THE_AUDIO = ['presses keys, also the same one twice', 'hears keys'];

function open(): MediaSetup {
  const { clock, ticker, pass } = manualTime();
  const ends: { near?: PcmLine; far?: PcmLine } = {};
  const lineTo = (other: 'near' | 'far'): PcmLine =>
    createPcmLine({
      sampleRate: RATE,
      nowMs: clock.nowMs,
      send: (bytes) => {
        ends[other]?.push(bytes);
        return true;
      },
      onClose: () => {},
    });
  ends.near = lineTo('far');
  ends.far = lineTo('near');
  const session = createMediaSession(ends.near, ticker);
  const far = createMediaSession(ends.far, ticker);
  return {
    session,
    far: farEnd(far),
    pass,
    close: () => {
      session.close();
      far.close();
    },
  };
}

describe('a PCM line', () => {
  for (const { name, run } of mediaSessionContract)
    if (!BESIDE_THE_AUDIO.includes(name)) it(name, () => run(async () => open()));

  it('gives the frames of a burst after a gap one by one to the times that follow, so that a recording has them all', () => {
    let nowMs = 0;
    const options = { sampleRate: RATE, nowMs: () => nowMs, send: () => true, onClose: () => {} };
    const line = createPcmLine(options);
    const frames = Array.from({ length: 40 }, (_, n) => {
      nowMs += 20;
      if (n === 10) line.push(new Uint8Array((2 * RATE * 300) / 1_000));
      return line.receive(nowMs);
    });
    expect(frames.filter(({ source }) => source === 'audio')).toHaveLength(15);
    const steps = frames.slice(1).map(({ atMs }, n) => atMs - (frames[n]?.atMs ?? 0));
    expect(Math.min(...steps)).toBe(20);
    expect(Math.max(...steps)).toBeLessThanOrEqual(40);
  });
});
