import type { FrameSource } from '../audio/frame.ts';

/** Packet statistics of one call leg. Lines without packets (a WebSocket) leave them at 0. */
export type MediaStats = {
  packetsSent: number;
  packetsReceived: number;
  /** Packets of the far end that never arrived. */
  packetsLost: number;
  /** Packets that arrived too late, or twice. */
  packetsLate: number;
  /** Packets that were malformed, of another payload type or from a foreign address. */
  packetsRejected: number;
  /** Mean deviation of arrival times (RFC 3550). */
  jitterMs: number;
  /** Undefined until the far end has reported. */
  roundTripMs: number | undefined;
  /** Share of our packets that the far end lost recently, 0 to 1. Undefined until it has reported. */
  remoteLoss: number | undefined;
  /** Received audio that is still buffered. */
  bufferMs: number;
  /** Total concealed audio. */
  concealedMs: number;
  /** Clock time of the last valid packet or message of the far end. */
  lastReceivedAtMs: number | undefined;
};

/**
 * Implemented by each kind of far end (RTP, a WebSocket, WebRTC): one frame in and one frame out every 20 ms, at the pace of
 * the session that owns it. `createMediaSession` turns it into a MediaSession.
 */
export type AudioLine = {
  /** Sample rate of the frames in both directions. */
  readonly sampleRate: number;
  /** The next 20 ms from the far end; silence where there is nothing. Called once a tick. */
  receive(nowMs: number): { samples: Int16Array; atMs: number; source: FrameSource };
  /** The next 20 ms to the far end. Called once a tick. */
  send(samples: Int16Array, nowMs: number): void;
  /** Starts a key press of `durationMs`, which replaces audio. Throws if the far end does not support DTMF. */
  sendDigit(digit: string, durationMs: number): void;
  /** Sets the only listener for key presses of the far end. */
  onDigit(listener: (digit: string) => void): void;
  /** Discards audio that was sent but may not have been heard yet, where the protocol can. */
  flush?(): void;
  stats(): MediaStats;
  close(): void;
};
