import { randomBytes } from 'node:crypto';
import {
  type AudioLine,
  type Codec,
  createALawCodec,
  createG722Codec,
  createMediaSession,
  createMuLawCodec,
  createOpusCodec,
  createRtpLine,
  createSwitchLine,
  type MediaSession,
  type PacketTransport,
  type RtpLine,
  type SignalledAddress,
  type SwitchLine,
  type Ticker,
  type UdpTransport,
} from '@parley/media';
import { createSrtpTransport, SRTP_KEY_BYTES, SRTP_SUITE } from '@parley/media/srtp';
import { mediaClock } from '../../../speech/media-clock.ts';
import type { SipCodec } from '../../carrier-names.ts';
import { createPortLender, type PortLender } from './lent-transport.ts';
import {
  type Agreement,
  agree,
  answeredFormats,
  isEncrypted,
  mirrored,
  offeredFormats,
} from './negotiate.ts';
import { type AudioDescription, parseSdp, type SessionDescription, writeSdp } from './sdp.ts';

/** The audio of one leg: offers and answers, and the session that they lead to. */
export type LegMedia = {
  /** Our description for an INVITE: a new one each time. */
  offer(): string;
  /** The far end's answer to our offer. False: it is not one, or has nothing in common with the offer. */
  accept(answer: string): Promise<boolean>;
  /** Our answer to the far end's offer; undefined: it is not acceptable (488), and nothing has changed. */
  answer(offer: string): Promise<string | undefined>;
  /** Undefined until both ends have agreed. */
  session(): MediaSession | undefined;
  /** The far end has put us on hold: nothing is heard of it. */
  isHeld(): boolean;
  /** Whether key presses travel with the audio. */
  hasKeys(): boolean;
  /** Since when nothing has come, in milliseconds of the media clock. */
  lastReceivedAtMs(): number;
  close(): void;
};

export type LegMediaOptions = {
  transport: UdpTransport;
  /** Where the far end sends to. */
  address: string;
  codecs: readonly SipCodec[];
  /** Whether audio may be sent to an address that a far end names; otherwise it goes where the far end's comes from. */
  isAllowedAddress: (address: string) => boolean;
  /** Hosts that audio may come from besides the one that the far end names: those of its signalling. */
  peers: readonly string[];
  /** Whether our offers demand SRTP; answers follow the offer. */
  isSecure: boolean;
  ticker: Ticker;
};

const OPUS_SAMPLE_RATE = 24_000;

export function createLegMedia(options: LegMediaOptions): LegMedia {
  const { transport, address, codecs, isSecure, isAllowedAddress, peers, ticker } = options;
  const lender = createPortLender(transport);
  const sessionId = randomBytes(5).readUIntBE(0, 5);
  const localKey = randomBytes(SRTP_KEY_BYTES);
  let version = 0;
  let agreed: Agreement | undefined;
  let rtp: RtpLine | undefined;
  let line: SwitchLine | undefined;
  let session: MediaSession | undefined;
  let sinceMs = mediaClock.nowMs();
  let isClosed = false;

  /** Makes the line follow the agreement. */
  const connect = async (next: Agreement): Promise<void> => {
    const before = agreed;
    agreed = next;
    sinceMs = mediaClock.nowMs();
    const { direction } = next;
    const remote = { ...next.remote, isSendable: isAllowedAddress(next.remote.address) };
    lender.allowSending(direction === 'sendrecv' || direction === 'recvonly');
    if (rtp && before && isSameStream(before, next)) {
      if (!isSameAddress(before, next)) rtp.signal(remote);
    } else {
      const codec = await openCodec(next.codec);
      if (isClosed) return codec.close();
      rtp = openLine(lender, codec, { ...next, remote, peers }, localKey);
      line ??= createSwitchLine(codec.sampleRate);
      line.connect(rtp);
      session ??= createMediaSession(line, ticker);
    }
    session?.pause(direction === 'inactive' || direction === 'sendonly');
  };

  const describe = (
    formats: AudioDescription['formats'],
    rest: Partial<AudioDescription>,
  ): AudioDescription => ({
    address,
    port: transport.port,
    profile: 'RTP/AVP',
    direction: 'sendrecv',
    formats,
    cryptos: [],
    rtcpMux: false,
    ...rest,
  });

  const writeAnswer = ({ audio, audioIndex, streams }: SessionDescription, agreement: Agreement): string => {
    version += 1;
    const { crypto, direction, rtcpMux } = agreement;
    return writeSdp({
      sessionId,
      version,
      streams,
      audioIndex,
      audio: describe(answeredFormats(audio, agreement), {
        profile: audio.profile,
        direction: mirrored(direction),
        cryptos: crypto ? [{ tag: crypto.tag, suite: SRTP_SUITE, key: localKey }] : [],
        rtcpMux,
      }),
    });
  };

  return {
    offer() {
      version += 1;
      // What was agreed on comes first, so that a re-INVITE changes nothing needlessly.
      const current = agreed?.codec;
      const ordered = current ? [current, ...codecs.filter((codec) => codec !== current)] : codecs;
      const encrypted: Partial<AudioDescription> =
        isSecure || agreed?.crypto
          ? { profile: 'RTP/SAVP', cryptos: [{ tag: 1, suite: SRTP_SUITE, key: localKey }] }
          : {};
      return writeSdp({ sessionId, version, audio: describe(offeredFormats(ordered), encrypted) });
    },
    async accept(text) {
      const answer = parseSdp(text);
      const next = answer && agree(answer.audio, codecs);
      if (!answer || !next || (isSecure && !isEncrypted(answer.audio))) return false;
      await connect(next);
      return true;
    },
    async answer(text) {
      const offer = parseSdp(text);
      const next = offer && agree(offer.audio, codecs);
      if (!offer || !next) return undefined;
      await connect(next);
      return writeAnswer(offer, next);
    },
    session: () => session,
    isHeld: () => agreed?.direction === 'inactive' || agreed?.direction === 'recvonly',
    hasKeys: () => agreed !== undefined && agreed.dtmfPayloadType !== null,
    lastReceivedAtMs: () => Math.max(sinceMs, session?.stats().lastReceivedAtMs ?? 0),
    close() {
      if (isClosed) return;
      isClosed = true;
      if (session) session.close();
      lender.close();
    },
  };
}

function openLine(
  lender: PortLender,
  codec: Codec,
  {
    payloadType,
    dtmfPayloadType,
    remote,
    peers,
    rtcpMux,
    crypto,
  }: Omit<Agreement, 'remote'> & { remote: SignalledAddress; peers: readonly string[] },
  localKey: Buffer,
): AudioLine & RtpLine {
  const plain = lender.lend();
  const transport: PacketTransport = crypto
    ? createSrtpTransport(plain, { local: localKey, remote: crypto.key })
    : plain;
  return createRtpLine({
    transport,
    codec,
    payloadType,
    ...(dtmfPayloadType === null ? {} : { dtmfPayloadType }),
    remote,
    peers,
    rtcpMux,
    cname: 'parley',
    nowMs: mediaClock.nowMs,
    random: Math.random,
  });
}

async function openCodec(name: SipCodec): Promise<Codec> {
  if (name === 'opus') return createOpusCodec({ sampleRate: OPUS_SAMPLE_RATE });
  if (name === 'G722') return createG722Codec();
  return name === 'PCMA' ? createALawCodec() : createMuLawCodec();
}

function isSameStream(one: Agreement, other: Agreement): boolean {
  return (
    one.codec === other.codec &&
    one.payloadType === other.payloadType &&
    one.dtmfPayloadType === other.dtmfPayloadType &&
    one.rtcpMux === other.rtcpMux &&
    (one.crypto?.key.equals(other.crypto?.key ?? Buffer.alloc(0)) ?? other.crypto === null)
  );
}

function isSameAddress({ remote: one }: Agreement, { remote: other }: Agreement): boolean {
  return one.address === other.address && one.port === other.port;
}
