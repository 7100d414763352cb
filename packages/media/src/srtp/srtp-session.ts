import { RtpHeader, SrtpSession as RtpSession, SrtcpSession } from 'werift';
import type { Address } from '../rtp/latch.ts';
import { looksLikeRtcp } from '../rtp/packet.ts';
import type { Channel, PacketTransport } from '../rtp/transport.ts';

/** The master key and salt of one direction, as SDP carries them (RFC 4568): 16 and 14 bytes. */
export type SrtpKey = Buffer;

export const SRTP_SUITE = 'AES_CM_128_HMAC_SHA1_80';
export const SRTP_KEY_BYTES = 30;

const MASTER_KEY_BYTES = 16;
/** `AES_CM_128_HMAC_SHA1_80` among werift's profiles. */
const PROFILE = 1;
/** Maximum known streams; above it, forged ones are removed. */
const MAX_STREAMS = 64;
/** Streams of a session of packets, by their source. */
type Streams = { [ssrc: number]: unknown };

export type SrtpSession = {
  /** Encrypts the packets of another transport, and drops packets that are not authentic. */
  protect(transport: PacketTransport): PacketTransport;
};

/**
 * Encrypts and decrypts the packets of one pair of keys (RFC 3711). A session outlives its transports, because the rollover counter of the
 * sequence numbers continues and is in no packet. `maxRollovers`: the far end's first stream may have rolled over up to this often before;
 * its first authentic packet shows how often. Throws a RangeError for a key of another length.
 */
export function createSrtpSession(
  keys: { local: SrtpKey; remote: SrtpKey },
  { maxRollovers = 0 }: { maxRollovers?: number } = {},
): SrtpSession {
  for (const { length } of [keys.local, keys.remote])
    if (length !== SRTP_KEY_BYTES) throw new RangeError('Not a key of SRTP');
  const config = {
    keys: {
      localMasterKey: keys.local.subarray(0, MASTER_KEY_BYTES),
      localMasterSalt: keys.local.subarray(MASTER_KEY_BYTES),
      remoteMasterKey: keys.remote.subarray(0, MASTER_KEY_BYTES),
      remoteMasterSalt: keys.remote.subarray(MASTER_KEY_BYTES),
    },
    profile: PROFILE,
  };
  const rtp = new RtpSession(config);
  const rtcp = new SrtcpSession(config);
  let authentic: number | undefined;

  /** Removes streams without an authentic packet: anyone can send packets with invented sources. */
  const forgetForged = (streams: Streams): void => {
    if (Object.keys(streams).length <= MAX_STREAMS) return;
    for (const ssrc of Object.keys(streams)) if (Number(ssrc) !== authentic) delete streams[Number(ssrc)];
  };

  /** The first stream may have begun long before: tries each count of rollovers. */
  const decryptFirst = (buffer: Buffer, ssrc: number): Buffer => {
    const streams = rtp.remoteContext.srtpSSRCStates;
    for (let rolloverCounter = 0; ; rolloverCounter += 1) {
      const lastSequenceNumber = buffer.readUInt16BE(2);
      streams[ssrc] = { ssrc, rolloverCounter, lastSequenceNumber, rolloverHasProcessed: true };
      try {
        return rtp.decrypt(buffer);
      } catch (err) {
        delete streams[ssrc];
        if (rolloverCounter >= maxRollovers) throw err;
      }
    }
  };

  const decrypt = (bytes: Uint8Array, channel: Channel): Uint8Array | undefined => {
    const buffer = Buffer.from(bytes);
    try {
      if (channel === 'rtcp' || looksLikeRtcp(bytes)) return rtcp.decrypt(buffer);
      const ssrc = buffer.readUInt32BE(8);
      const plain = authentic === undefined ? decryptFirst(buffer, ssrc) : rtp.decrypt(buffer);
      authentic = ssrc;
      return plain;
    } catch {
      return undefined;
    } finally {
      forgetForged(rtp.remoteContext.srtpSSRCStates as Streams);
      forgetForged(rtcp.remoteContext.srtcpSSRCStates as Streams);
    }
  };

  const encrypt = (bytes: Uint8Array, channel: Channel): Uint8Array => {
    const buffer = Buffer.from(bytes);
    if (channel === 'rtcp' || looksLikeRtcp(bytes)) return rtcp.encrypt(buffer);
    const header = RtpHeader.deSerialize(buffer);
    return rtp.encrypt(buffer.subarray(header.payloadOffset), header);
  };

  return {
    protect: (transport) => ({
      send: (bytes: Uint8Array, channel: Channel, to: Address) =>
        transport.send(encrypt(bytes, channel), channel, to),
      onPacket: (listener) =>
        transport.onPacket((bytes, channel, from) => {
          const plain = decrypt(bytes, channel);
          if (plain) listener(plain, channel, from);
        }),
      close: () => transport.close(),
    }),
  };
}
