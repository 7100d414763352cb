import type { Codec } from '../audio/codec.ts';
import { FRAME_MS } from '../audio/frame.ts';
import type { AudioLine } from '../session/line.ts';
import { type Address, createLatch, type SignalledAddress } from './latch.ts';
import { looksLikeRtcp, parseRtp, type RtpPacket } from './packet.ts';
import { createReceiver } from './receiver.ts';
import { createReception } from './reception.ts';
import { createReporter } from './reporter.ts';
import { createSender } from './sender.ts';
import { createDigitLimit, createDtmfDetector } from './telephone-event.ts';
import type { Channel, PacketTransport } from './transport.ts';

const COMFORT_NOISE_TYPE = 13;

export type RtpLineOptions = {
  transport: PacketTransport;
  codec: Codec;
  /** The negotiated payload type of audio in both directions. */
  payloadType: number;
  /** Payload type of telephone-event; without it `sendDigit` throws and key presses are not recognized. */
  dtmfPayloadType?: number;
  /** Clock rate of telephone-event, in which the duration of a key press is sent; by default that of the codec. */
  dtmfClockRate?: number;
  /** The address from SDP. Without a sendable one, nothing is sent until packets have arrived. */
  remote?: SignalledAddress;
  /** Further hosts that media may come from: those that the signalling comes from. */
  peers?: readonly string[];
  /** Whether RTCP shares the port of RTP (RFC 5761); otherwise it uses the next one. */
  rtcpMux?: boolean;
  /** SSRC of the sent stream, if it was announced; otherwise random. */
  ssrc?: number;
  /** Identifies this endpoint to the far end in RTCP; must not identify the user. */
  cname: string;
  /** Current time in milliseconds. */
  nowMs: () => number;
  /** Returns numbers from 0 to 1, for identifiers and intervals. */
  random: () => number;
  /** Another sender's packets arrive instead, as after a transfer that was not signalled. */
  onNewSource?: () => void;
};

export type RtpLine = AudioLine & {
  /** A new address from SDP (a re-INVITE): the latch starts over. */
  signal(remote: SignalledAddress | undefined): void;
  /** Where packets are sent at present. */
  readonly remote: Address | undefined;
};

/** One call leg over RTP: packets, jitter buffer, codec, DTMF events, reports and symmetric latching. Owns transport and codec. */
export function createRtpLine(options: RtpLineOptions): RtpLine {
  const { transport, codec, payloadType, dtmfPayloadType, dtmfClockRate } = options;
  const { rtcpMux = false, cname, nowMs, random } = options;
  const ssrc = options.ssrc ?? Math.floor(random() * 2 ** 32);
  const latch = createLatch(options.remote, options.peers);
  const receiver = createReceiver(codec, random);
  const sender = createSender({ codec, payloadType, dtmfPayloadType, dtmfClockRate, ssrc, random });
  const reporter = createReporter({ ssrc, cname, random });
  const reception = createReception(codec.clockRate);
  const mayPress = createDigitLimit(nowMs);
  let detectDigit = createDtmfDetector();
  let onDigit: (digit: string) => void = () => undefined;
  let remoteSsrc: number | undefined;
  let late = 0;
  let rejected = 0;
  let lastReceivedAtMs: number | undefined;
  let closed = false;

  const receiveRtp = (packet: RtpPacket, arrivalMs: number): void => {
    const { ssrc: source, timestamp, payload } = packet;
    if (source !== remoteSsrc) {
      // Another sender, as after a transfer.
      if (remoteSsrc !== undefined) {
        receiver.reset();
        options.onNewSource?.();
      }
      reception.restart();
      detectDigit = createDtmfDetector();
      remoteSsrc = source;
    }
    reception.record(packet, arrivalMs);
    lastReceivedAtMs = arrivalMs;
    if (packet.payloadType === payloadType) {
      const outcome = receiver.insert(packet, arrivalMs);
      if (outcome !== 'stored') late += 1;
    } else if (packet.payloadType === dtmfPayloadType) {
      const digit = detectDigit(payload, timestamp);
      if (digit !== undefined && mayPress()) onDigit(digit);
    } else receiver.setNoise(payload[0] ?? 0);
  };
  const isNegotiated = (type: number): boolean =>
    type === payloadType || type === dtmfPayloadType || type === COMFORT_NOISE_TYPE;

  const receive = (bytes: Uint8Array, channel: Channel, from: Address): void => {
    if (closed) return;
    if (channel === 'rtcp' || looksLikeRtcp(bytes)) {
      const known = latch.remote?.address === from.address;
      if (!known || !reporter.receive(bytes, nowMs())) rejected += 1;
      return;
    }
    const packet = parseRtp(bytes);
    // The far end loops our own packets back.
    const usable = packet && isNegotiated(packet.payloadType) && packet.ssrc !== ssrc;
    if (usable && latch.accept(from, packet, nowMs())) receiveRtp(packet, nowMs());
    else rejected += 1;
  };
  const sendRtcp = (bytes: Uint8Array): void => {
    const to = latch.remote;
    if (!to) return;
    if (rtcpMux) transport.send(bytes, 'rtp', to);
    else transport.send(bytes, 'rtcp', { address: to.address, port: to.port + 1 });
  };
  const report = (): Parameters<typeof reporter.tick>[0] => ({
    nowMs: nowMs(),
    sent: sender.totals(),
    received: remoteSsrc === undefined ? undefined : { ssrc: remoteSsrc, report: reception.report },
  });
  transport.onPacket(receive);

  return {
    sampleRate: codec.sampleRate,
    get remote() {
      return latch.remote;
    },
    signal: latch.signal,
    receive: receiver.pull,
    send(samples, dueMs) {
      const to = latch.remote;
      for (const bytes of sender.frame(samples, dueMs)) if (to) transport.send(bytes, 'rtp', to);
      const compound = reporter.tick(report());
      if (compound) sendRtcp(compound);
    },
    sendDigit: sender.press,
    onDigit(listener) {
      onDigit = listener;
    },
    stats() {
      const { received, lost, jitterMs } = reception.totals();
      const { bufferMs, concealedMs, malformed } = receiver.stats();
      return {
        packetsSent: sender.totals().packets,
        packetsReceived: received,
        packetsLost: lost,
        packetsLate: late,
        packetsRejected: rejected + malformed,
        jitterMs,
        roundTripMs: reporter.roundTripMs,
        remoteLoss: reporter.remoteLoss,
        bufferMs: Math.max(0, bufferMs - FRAME_MS),
        concealedMs,
        lastReceivedAtMs,
      };
    },
    close() {
      if (closed) return;
      closed = true;
      sendRtcp(reporter.goodbye(report()));
      transport.close();
      codec.close();
    },
  };
}
