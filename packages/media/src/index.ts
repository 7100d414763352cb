export { type Codec, createALawCodec, createG722Codec, createMuLawCodec } from './audio/codec.ts';
export { type AudioFrame, concatenate, FRAME_MS, levelDb, msOf, samplesIn } from './audio/frame.ts';
export { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw } from './audio/g711.ts';
export { comfortNoise } from './audio/noise.ts';
export { createOpusCodec } from './audio/opus.ts';
export { createResampler, type Resampler } from './audio/resample.ts';
export type { MediaClock } from './clock.ts';
export { createRecorder, type Recorder, recordSession } from './recording/recorder.ts';
export { readWavHeader, repairRecording, wavHeader } from './recording/wav.ts';
export type { Address, SignalledAddress } from './rtp/latch.ts';
export {
  createMemoryNetwork,
  type MemoryEnd,
  type NetworkConditions,
} from './rtp/memory-network.ts';
export { createRtpLine, type RtpLine } from './rtp/rtp-line.ts';
export type { Channel, PacketTransport } from './rtp/transport.ts';
export { createUdpTransport, type UdpTransport } from './rtp/udp-transport.ts';
export { bridge, conference, connect } from './session/connect.ts';
export type { AudioLine } from './session/line.ts';
export { createMediaSession, type MediaSession } from './session/media-session.ts';
export { createMemoryPair, type MemoryPair } from './session/memory-pair.ts';
export { createPcmLine, type PcmLine } from './session/pcm-line.ts';
export { playStream } from './session/play-stream.ts';
export type { Playback } from './session/playout-queue.ts';
export { createSwitchLine, type SwitchLine } from './session/switch-line.ts';
export { createTicker, type Ticker, withErrorHandler } from './ticker.ts';
export { createTokenBucket } from './token-bucket.ts';
