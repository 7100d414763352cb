import { createMuLawCodec, levelDb } from '@parley/media';
import { eventually } from '@parley/testkit';
import {
  type MediaStreamTrack,
  RTCPeerConnection,
  RTCRtpCodecParameters,
  RtpHeader,
  RtpPacket,
  MediaStreamTrack as Track,
} from 'werift';

/** A browser's end of a spoken web call, with PCMU: what it says are tones, and what it hears are levels. */
export type TestBrowser = {
  offer(): Promise<string>;
  accept(answer: string): Promise<void>;
  connected(): Promise<void>;
  /** Speaks for so long. */
  speak(ms: number): Promise<void>;
  /** Milliseconds of audible sound so far. */
  heardMs(): number;
  /** How long ago the last packet came. */
  silentMs(): number;
  /** Messages of the data channel. */
  updates: Record<string, unknown>[];
  send(message: string): void;
  /** Packets are lost from now on. */
  cut(): void;
  close(): Promise<void>;
};

const FRAME_MS = 20;
const FRAME_SAMPLES = 160;
const AUDIBLE_DB = -45;
const TONE = Int16Array.from({ length: FRAME_SAMPLES * 50 }, (_, n) =>
  Math.round(9_000 * Math.sin((2 * Math.PI * 440 * n) / 8_000)),
);

export async function testBrowser(): Promise<TestBrowser> {
  const pcmu = new RTCRtpCodecParameters({
    mimeType: 'audio/PCMU',
    clockRate: 8_000,
    channels: 1,
    payloadType: 0,
  });
  const connection = new RTCPeerConnection({
    codecs: { audio: [pcmu] },
    iceServers: [],
    iceAdditionalHostAddresses: ['127.0.0.1'],
  });
  const codec = createMuLawCodec();
  const track = new Track({ kind: 'audio' });
  const transceiver = connection.addTransceiver(track, { direction: 'sendrecv' });
  const channel = connection.createDataChannel('parley', { negotiated: true, id: 0 });
  const updates: Record<string, unknown>[] = [];
  channel.onMessage.subscribe((message) => void updates.push(JSON.parse(String(message))));
  let heardMs = 0;
  let receivedAtMs = 0;
  transceiver.onTrack.subscribe((received: MediaStreamTrack) => {
    received.onReceiveRtp.subscribe(({ payload }) => {
      receivedAtMs = performance.now();
      if (levelDb(codec.decode(payload)) > AUDIBLE_DB) heardMs += FRAME_MS;
    });
  });
  let loudFrames = 0;
  let isCut = false;
  let sequence = 0;
  const timer = setInterval(() => {
    const isLoud = loudFrames > 0;
    if (isLoud) loudFrames -= 1;
    const at = (sequence % 50) * FRAME_SAMPLES;
    const samples = isLoud ? TONE.slice(at, at + FRAME_SAMPLES) : new Int16Array(FRAME_SAMPLES);
    sequence += 1;
    const header = new RtpHeader({
      payloadType: 0,
      sequenceNumber: sequence % 65_536,
      timestamp: (sequence * FRAME_SAMPLES) % 2 ** 32,
      ssrc: 7,
    });
    if (!isCut && connection.connectionState === 'connected')
      track.writeRtp(new RtpPacket(header, Buffer.from(codec.encode(samples))));
  }, FRAME_MS);

  return {
    updates,
    heardMs: () => heardMs,
    silentMs: () => performance.now() - receivedAtMs,
    offer: async () => {
      await connection.setLocalDescription(await connection.createOffer());
      return connection.localDescription?.sdp ?? '';
    },
    accept: (sdp) => connection.setRemoteDescription({ type: 'answer', sdp }),
    connected: () =>
      eventually(() => {
        if (connection.connectionState !== 'connected' || channel.readyState !== 'open')
          throw new Error(`${connection.connectionState}, channel ${channel.readyState}`);
      }),
    speak: async (ms) => {
      loudFrames += ms / FRAME_MS;
      await eventually(() => {
        if (loudFrames > 0) throw new Error('it still speaks');
      });
    },
    send: (message) => channel.send(message),
    cut: () => {
      isCut = true;
    },
    close: async () => {
      clearInterval(timer);
      await connection.close();
    },
  };
}
