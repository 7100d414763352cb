import { describe, expect, it } from '@jest/globals';
import {
  createMediaSession,
  createMuLawCodec,
  createOpusCodec,
  createRtpLine,
  createSwitchLine,
} from '../src/index.ts';
import { createMemoryNetwork, type MemoryEnd } from '../src/rtp/memory-network.ts';
import {
  audibleMs,
  createRandom,
  farEnd,
  type ManualTime,
  type MediaSetup,
  manualTime,
  mediaSessionContract,
  tone,
} from '../src/testing/index.ts';

// The contract of media sessions over a line that can be replaced, as legs of SIP and web calls have.

const PAYLOAD = { payloadType: 0, dtmfPayloadType: 101 };
const RATE = 8_000;

/** One for both ends, which must not choose the same source. */
const random = createRandom(7);
const rtpLine = (
  { clock }: ManualTime,
  [transport, remote]: readonly [MemoryEnd, MemoryEnd],
  codec = createMuLawCodec(),
) =>
  createRtpLine({
    ...PAYLOAD,
    transport,
    codec,
    remote: remote.address,
    cname: 'parley',
    nowMs: clock.nowMs,
    random,
  });

/** A session whose line runs at `sampleRate`, and the far end of the µ-law line below it. */
function open(sampleRate: number): MediaSetup {
  const time = manualTime();
  const [near, far] = createMemoryNetwork({ clock: time.clock, random }).ends;
  const line = createSwitchLine(sampleRate);
  line.connect(rtpLine(time, [near, far]));
  const session = createMediaSession(line, time.ticker);
  const other = createMediaSession(rtpLine(time, [far, near]), time.ticker);
  return {
    session,
    far: farEnd(other),
    pass: time.pass,
    close: () => {
      session.close();
      other.close();
    },
  };
}

describe.each([RATE, 24_000])('a switch line at %i Hz over µ-law', (sampleRate) => {
  for (const { name, run } of mediaSessionContract) it(name, () => run(async () => open(sampleRate)));
});

describe('a switch line', () => {
  it('hears and speaks by the line that replaces another one, of another codec', async () => {
    const time = manualTime();
    const { clock, ticker, pass } = time;
    const line = createSwitchLine(RATE);
    const session = createMediaSession(line, ticker);
    const heard: Int16Array[] = [];
    session.onFrame(({ samples }) => heard.push(samples));
    for (const codecs of [
      [createMuLawCodec(), createMuLawCodec()],
      [await createOpusCodec({ complexity: 0 }), await createOpusCodec({ complexity: 0 })],
    ] as const) {
      const [near, far] = createMemoryNetwork({ clock, random }).ends;
      line.connect(rtpLine(time, [near, far], codecs[0]));
      const other = createMediaSession(rtpLine(time, [far, near], codecs[1]), ticker);
      const end = farEnd(other);
      await pass(200);
      heard.splice(0);
      end.speak(tone(500, 300, other.sampleRate));
      const playback = session.play();
      playback.write(tone(500, 300, RATE), RATE);
      playback.end();
      await pass(900);
      const atSession = heard.reduce((sum, samples) => sum + audibleMs(samples, RATE), 0);
      expect(Math.abs(atSession - 300)).toBeLessThanOrEqual(120);
      expect(Math.abs(audibleMs(end.heard(), end.sampleRate) - 300)).toBeLessThanOrEqual(120);
      other.close();
    }
    session.close();
  });
});
