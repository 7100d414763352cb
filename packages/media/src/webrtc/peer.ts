import { randomBytes } from 'node:crypto';
import {
  Event,
  isMedia,
  isRtcp,
  RTCDataChannel,
  RTCDataChannelParameters,
  RTCDtlsFingerprint,
  RTCDtlsParameters,
  RTCDtlsTransport,
  type RTCIceTransport,
  RTCSctpTransport,
  RtpHeader,
} from 'werift';
import { looksLikeRtcp } from '../rtp/packet.ts';
import type { PacketTransport } from '../rtp/transport.ts';
import { createTokenBucket } from '../token-bucket.ts';
import { createDtlsGuard } from './guard-dtls.ts';
import { createSctpGuard } from './guard-sctp.ts';
import type { IceServer } from './ice-server.ts';
import type { WebRtcOffer } from './read-offer.ts';
import { writeAnswer } from './write-answer.ts';

/** A browser's connection: encrypted audio packets, and a channel for messages. */
export type WebRtcPeer = {
  /** SDP for the browser. */
  readonly answer: string;
  /** Audio packets, decrypted. */
  readonly transport: PacketTransport;
  /** The SSRC of our audio, as in the answer. */
  readonly ssrc: number;
  /** Sends a message, or drops it if the browser does not read. */
  send(message: string): void;
  close(): void;
  /** Resolves with the reason when the connection is over, or could not be made. */
  readonly closed: Promise<string>;
};

export type WebRtcPeerOptions = {
  server: IceServer;
  /** Addresses at which clients reach the server's port. */
  addresses: readonly string[];
  offer: WebRtcOffer;
  /** Audio can be sent from now on. */
  onConnected: () => void;
  /** A message of the browser, at most 16 KiB. */
  onMessage: (message: string) => void;
};

/** The far end of `transport`: DTLS authenticates it, so its address doesn't matter. */
export const PEER_ADDRESS = { address: 'webrtc', port: 9 };

const PROTECTION = [0x0007, 0x0001] as const;
const CONNECT_TIMEOUT_MS = 15_000;
/** Messages that wait for a browser which does not read. */
const MAX_BUFFERED_BYTES = 256 * 1_024;
/** What a browser may send besides audio, in bytes: a call needs some acknowledgements and a few messages. */
const MAX_DATA_BYTES = 64 * 1_024;
const DATA_BYTES_PER_SECOND = 4 * 1_024;
/** Audio is 50 packets a second, and there are reports and checks. */
const MAX_PACKETS = 1_000;
const PACKETS_PER_SECOND = 200;
const SCTP_PORT = 5_000;
const CHANNEL_ID = 0;

/** Makes this process's certificate, once. */
export async function prepareWebRtc(): Promise<void> {
  await RTCDtlsTransport.SetupCertificate();
}

/** Accepts an offer. `prepareWebRtc` must have been called. */
export function createWebRtcPeer({
  server,
  addresses,
  offer,
  onConnected,
  onMessage,
}: WebRtcPeerOptions): WebRtcPeer {
  const ssrc = randomBytes(4).readUInt32BE();
  let isClosed = false;
  let resolveClosed = (_: string): void => {};
  const closed = new Promise<string>((resolve) => {
    resolveClosed = resolve;
  });
  const packets = createTokenBucket(MAX_PACKETS, PACKETS_PER_SECOND);
  const dataBytes = createTokenBucket(MAX_DATA_BYTES, DATA_BYTES_PER_SECOND);

  const guard = createDtlsGuard();
  const received = new Event<[Buffer]>();
  const end = server.open(offer.ice.ufrag, {
    onRemote: () => begin(),
    accepts: () => {
      if (packets.take(1)) return true;
      finish('too many packets');
      return false;
    },
    onPacket: (bytes) => {
      if (isMedia(bytes)) received.execute(bytes);
      else {
        const records = guard.keep(bytes, dtls.state === 'connected');
        if (records) received.execute(records);
      }
    },
  });
  // The part of an ICE transport that the DTLS transport uses.
  const ice = {
    role: 'controlled',
    connection: { onData: received, send: async (bytes: Buffer) => end.send(bytes), close: async () => {} },
    stop: async () => {},
  } as unknown as RTCIceTransport;
  const dtls = new RTCDtlsTransport({}, ice, undefined, [...PROTECTION]);
  dtls.role = 'server';
  dtls.setRemoteParams(
    new RTCDtlsParameters([new RTCDtlsFingerprint('sha-256', offer.fingerprint)], 'client'),
  );
  dtls.startSrtp = () => {
    dtls.updateSrtpSession();
    received.subscribe(receiveMedia);
  };
  let onPacket: Parameters<PacketTransport['onPacket']>[0] = () => {};
  const receiveMedia = (bytes: Buffer): void => {
    if (!isMedia(bytes)) return;
    try {
      const channel = isRtcp(bytes) ? 'rtcp' : 'rtp';
      const clear = channel === 'rtcp' ? dtls.srtcp.decrypt(bytes) : dtls.srtp.decrypt(bytes);
      onPacket(clear, channel, PEER_ADDRESS);
    } catch {
      // The packet is forged, repeated or malformed.
    }
  };
  const sctp = offer.data ? openData(dtls, offer.data.port, onMessage) : undefined;
  if (sctp)
    dtls.dataReceiver = (bytes) => {
      if (!dataBytes.take(bytes.length)) finish('too much data');
      else sctp.receive(bytes);
    };

  const timeout = setTimeout(() => finish('it was not connected in time'), CONNECT_TIMEOUT_MS);
  let hasBegun = false;
  const begin = (): void => {
    if (hasBegun || isClosed) return;
    hasBegun = true;
    dtls.onStateChange.subscribe((state) => {
      if (state === 'closed' || state === 'failed') finish(`the encryption is ${state}`);
    });
    dtls.start().then(
      () => {
        clearTimeout(timeout);
        if (isClosed) return;
        onConnected();
        void sctp?.start();
      },
      () => finish('the encryption failed'),
    );
  };
  const finish = (reason: string): void => {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(timeout);
    received.allUnsubscribe();
    dtls.dataReceiver = () => {};
    void Promise.resolve(sctp?.stop())
      .catch(() => {})
      .finally(() => {
        dtls.dtls?.close();
        end.close();
      });
    resolveClosed(reason);
  };

  return {
    answer: writeAnswer(offer, {
      ice: { ufrag: end.ufrag, password: end.password },
      fingerprint: dtls.localParameters.fingerprints[0]?.value ?? '',
      ssrc,
      candidates: addresses.map((address) => ({ address, port: server.port })),
    }),
    ssrc,
    transport: {
      send: (bytes) => {
        if (isClosed || dtls.state !== 'connected') return;
        const clear = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        end.send(looksLikeRtcp(clear) ? dtls.srtcp.encrypt(clear) : encryptRtp(dtls, clear));
      },
      onPacket: (listener) => {
        onPacket = listener;
      },
      close: () => finish('closed here'),
    },
    send: (message) => sctp?.send(message),
    close: () => finish('closed here'),
    closed,
  };
}

function encryptRtp(dtls: RTCDtlsTransport, clear: Buffer): Buffer {
  const header = RtpHeader.deSerialize(clear);
  return dtls.srtp.encrypt(clear.subarray(header.payloadOffset), header);
}

/** Opens the negotiated channel of the call; other channels are ignored. */
function openData(dtls: RTCDtlsTransport, remotePort: number, onMessage: (message: string) => void) {
  const sctp = new RTCSctpTransport(SCTP_PORT);
  sctp.setDtlsTransport(dtls);
  sctp.setRemotePort(remotePort);
  const channel = new RTCDataChannel(
    sctp,
    new RTCDataChannelParameters({ label: 'parley', negotiated: true, id: CHANNEL_ID, ordered: true }),
  );
  channel.onMessage.subscribe((message) => {
    if (typeof message === 'string') onMessage(message);
  });
  const guard = createSctpGuard(CHANNEL_ID);
  // werift's own listener doesn't handle errors.
  const association = sctp.sctp as unknown as { handleData(bytes: Buffer): Promise<void> };
  return {
    receive: (bytes: Buffer): void => {
      // Malformed packets are ignored.
      if (guard.accepts(bytes)) association.handleData(bytes).catch(() => {});
    },
    start: () => sctp.start(remotePort),
    stop: () => sctp.stop(),
    send: (message: string): void => {
      if (channel.bufferedAmount < MAX_BUFFERED_BYTES) channel.send(message);
    },
  };
}
