import { type Codec, createMuLawCodec } from '../audio/codec.ts';
import type { MediaClock } from '../clock.ts';
import { createMemoryNetwork, type MemoryEnd, type NetworkConditions } from '../rtp/memory-network.ts';
import { createRtpLine } from '../rtp/rtp-line.ts';
import type { Ticker } from '../ticker.ts';
import { createMediaSession, type MediaSession } from './media-session.ts';

const PAYLOAD_TYPE = 0;
const DTMF_PAYLOAD_TYPE = 101;

/** Two connected sessions: each hears what the other plays. */
export type MemoryPair = {
  near: MediaSession;
  far: MediaSession;
  /** Changes the network between them. */
  setConditions(conditions: NetworkConditions): void;
  close(): void;
};

/**
 * A call without a network: two RTP sessions, with all that belongs to them (codec, jitter buffer, DTMF events, reports), over packets
 * in memory. `createCodec` makes the codec of each side, µ-law by default.
 */
export function createMemoryPair(options: {
  clock: MediaClock;
  ticker: Ticker;
  random: () => number;
  conditions?: NetworkConditions;
  createCodec?: () => Codec;
}): MemoryPair {
  const { clock, ticker, random, createCodec = createMuLawCodec } = options;
  const network = createMemoryNetwork(options);
  const toSession = (transport: MemoryEnd, remote: MemoryEnd, cname: string): MediaSession =>
    createMediaSession(
      createRtpLine({
        transport,
        codec: createCodec(),
        payloadType: PAYLOAD_TYPE,
        dtmfPayloadType: DTMF_PAYLOAD_TYPE,
        remote: remote.address,
        cname,
        nowMs: clock.nowMs,
        random,
      }),
      ticker,
    );
  const [a, b] = network.ends;
  const near = toSession(a, b, 'near');
  const far = toSession(b, a, 'far');
  return {
    near,
    far,
    setConditions: network.setConditions,
    close() {
      near.close();
      far.close();
    },
  };
}
