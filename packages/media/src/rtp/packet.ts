import { packets } from 'rtp.js';

/** An RTP packet (RFC 3550, 5.1) without header extensions and contributing sources, which telephony doesn't use. */
export type RtpPacket = {
  readonly payloadType: number;
  /** 16 bits. */
  readonly sequence: number;
  /** 32 bits. */
  readonly timestamp: number;
  /** 32 bits. */
  readonly ssrc: number;
  readonly marker: boolean;
  readonly payload: Uint8Array;
};

const MIN_HEADER_BYTES = 12;
/** Maximum datagram: more than an Ethernet frame. */
const MAX_BYTES = 2_048;
const FIRST_RTCP_TYPE = 192;
const LAST_RTCP_TYPE = 223;

/** Whether a datagram on a port shared by both is RTCP (RFC 5761, 4). */
export function looksLikeRtcp(bytes: Uint8Array): boolean {
  const type = bytes[1] ?? 0;
  return type >= FIRST_RTCP_TYPE && type <= LAST_RTCP_TYPE;
}

/** Returns undefined unless the bytes are one well-formed RTP packet. The payload refers to `bytes`. */
export function parseRtp(bytes: Uint8Array): RtpPacket | undefined {
  if (bytes.length < MIN_HEADER_BYTES || bytes.length > MAX_BYTES) return undefined;
  try {
    const packet = new packets.RtpPacket(viewOf(bytes));
    const payload = packet.getPayload();
    return {
      payloadType: packet.getPayloadType(),
      sequence: packet.getSequenceNumber(),
      timestamp: packet.getTimestamp(),
      ssrc: packet.getSsrc(),
      marker: packet.getMarker(),
      payload: new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength),
    };
  } catch {
    return undefined;
  }
}

/** Bytes of a packet, in memory of their own. */
export function serializeRtp({
  payloadType,
  sequence,
  timestamp,
  ssrc,
  marker,
  payload,
}: RtpPacket): Uint8Array {
  const packet = new packets.RtpPacket();
  packet.setPayloadType(payloadType);
  packet.setSequenceNumber(sequence);
  packet.setTimestamp(timestamp);
  packet.setSsrc(ssrc);
  packet.setMarker(marker);
  packet.setPayload(viewOf(payload));
  const view = packet.getView();
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
