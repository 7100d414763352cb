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
import { createSrtpSession, SRTP_KEY_BYTES, SRTP_SUITE, type SrtpSession } from '@parley/media/srtp';
import { mediaClock } from '../../../speech/media-clock.ts';
import type { SipCodec } from '../../carrier-names.ts';
import { createDtmfFilter, type DtmfFilter } from './dtmf-filter.ts';
import {
  type Agreement,
  agree,
  answeredFormats,
  isEncrypted,
  mirrored,
  offeredFormats,
} from './negotiate.ts';
import { createReusableTransport } from './reusable-transport.ts';
import { type AudioDescription, parseSdp, type SessionDescription, writeSdp } from './sdp.ts';

/** The audio of one leg: its offer/answer exchanges, and the media session that results. */
export type LegMedia = {
  /** A new SDP offer for an INVITE. */
  offer(): string;
  /** Applies the far end's answer to our offer. False: it is malformed, or has no codec in common with the offer. */
  accept(answer: string): Promise<boolean>;
  /** Applies the far end's offer and returns our answer; undefined: it is not acceptable (488), and nothing has changed. */
  answer(offer: string): Promise<string | undefined>;
  /** Whether our next offer demands SRTP: as agreed, once there was an agreement. */
  isSecure(): boolean;
  /** Undefined until both ends have agreed. */
  session(): MediaSession | undefined;
  /** The far end has put us on hold and sends no audio. */
  isHeld(): boolean;
  /** Whether key presses are sent with the audio (RFC 4733). */
  hasKeys(): boolean;
  /** Whether a key that the far end reports by INFO counts: it may have reported it with the audio already. */
  countsInfoKey(): boolean;
  /** When the last packet arrived, or the current agreement began; milliseconds of the media clock. */
  lastReceivedAtMs(): number;
  close(): void;
};

export type LegMediaOptions = {
  transport: UdpTransport;
  /** Our address in SDP. */
  address: string;
  codecs: readonly SipCodec[];
  /** Whether audio may be sent to an address from SDP; otherwise it is sent to where the far end's audio comes from. */
  isAllowedAddress: (address: string) => boolean;
  /** Hosts that audio may come from besides the one in SDP: those of the signalling. */
  peers: readonly string[];
  /** Whether our first offer demands SRTP. Answers follow the offer; later offers keep the agreement. */
  isSecure: boolean;
  /** After a takeover: how long the far end has been sending already. */
  startedMsAgo?: number;
  ticker: Ticker;
};

/** Sequence numbers roll over after this time at the earliest: with packets of 10 ms, the shortest in use. */
const ROLLOVER_MS = 65_536 * 10;
const MAX_ROLLOVERS = 100;
/** Keys of the far end that are kept, since it may return to one. */
const MAX_KEYS = 4;
const OPUS_SAMPLE_RATE = 24_000;

export function createLegMedia(options: LegMediaOptions): LegMedia {
  const { transport, address, codecs, isAllowedAddress, peers, startedMsAgo = 0, ticker } = options;
  const ports = createReusableTransport(transport);
  const sessionId = randomBytes(5).readUIntBE(0, 5);
  const localKey = randomBytes(SRTP_KEY_BYTES);
  const dtmfFilter = createDtmfFilter();
  const startedAtMs = mediaClock.nowMs() - startedMsAgo;
  /** By the far end's key: the rollover counter continues when only the codec changes, or a key is used again. */
  const encryptions = new Map<string, SrtpSession>();
  let version = 0;
  let agreed: Agreement | undefined;
  let rtp: RtpLine | undefined;
  let line: SwitchLine | undefined;
  let session: MediaSession | undefined;
  let sinceMs = mediaClock.nowMs();
  let isClosed = false;

  const isSecure = (): boolean => (agreed ? agreed.crypto !== null : options.isSecure);

  const encryptionOf = (remoteKey: Buffer): SrtpSession => {
    const id = remoteKey.toString('base64');
    const known = encryptions.get(id);
    encryptions.delete(id);
    if (known) {
      encryptions.set(id, known);
      return known;
    }
    const rollovers = 1 + Math.floor((mediaClock.nowMs() - startedAtMs) / ROLLOVER_MS);
    const maxRollovers = Math.min(MAX_ROLLOVERS, rollovers);
    const created = createSrtpSession({ local: localKey, remote: remoteKey }, { maxRollovers });
    encryptions.set(id, created);
    const [oldest] = encryptions.keys();
    if (encryptions.size > MAX_KEYS && oldest !== undefined) encryptions.delete(oldest);
    return created;
  };

  /** Applies an agreement to the line. */
  const connect = async (next: Agreement): Promise<void> => {
    const before = agreed;
    agreed = next;
    sinceMs = mediaClock.nowMs();
    const { direction } = next;
    const remote = { ...next.remote, isSendable: isAllowedAddress(next.remote.address) };
    if (before && !(isSameStream(before, next) && isSameAddress(before, next))) dtmfFilter.reset();
    ports.allowSending(direction === 'sendrecv' || direction === 'recvonly');
    if (rtp && before && isSameStream(before, next)) {
      if (!isSameAddress(before, next)) rtp.signal(remote);
    } else {
      const codec = await openCodec(next.codec);
      if (isClosed) return codec.close();
      const plain = ports.next();
      const transport = next.crypto ? encryptionOf(next.crypto.key).protect(plain) : plain;
      rtp = openLine(transport, codec, { ...next, remote, peers, onNewSource: dtmfFilter.reset });
      line ??= createSwitchLine(codec.sampleRate);
      line.connect(withFilteredKeys(rtp, dtmfFilter));
      session ??= createMediaSession(line, ticker);
    }
    session?.pause('hold', direction === 'inactive' || direction === 'sendonly');
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
      // The agreed codec comes first, so that a re-INVITE does not change it needlessly.
      const current = agreed?.codec;
      const ordered = current ? [current, ...codecs.filter((codec) => codec !== current)] : codecs;
      const encrypted: Partial<AudioDescription> = isSecure()
        ? { profile: 'RTP/SAVP', cryptos: [{ tag: 1, suite: SRTP_SUITE, key: localKey }] }
        : {};
      return writeSdp({ sessionId, version, audio: describe(offeredFormats(ordered), encrypted) });
    },
    async accept(text) {
      const answer = parseSdp(text);
      const next = answer && agree(answer.audio, codecs);
      if (!answer || !next || (isSecure() && !isEncrypted(answer.audio))) return false;
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
    isSecure,
    session: () => session,
    isHeld: () => agreed?.direction === 'inactive' || agreed?.direction === 'recvonly',
    hasKeys: () => agreed !== undefined && agreed.dtmfPayloadType !== null,
    countsInfoKey: () => dtmfFilter.accepts('info'),
    lastReceivedAtMs: () => Math.max(sinceMs, session?.stats().lastReceivedAtMs ?? 0),
    close() {
      if (isClosed) return;
      isClosed = true;
      if (session) session.close();
      ports.close();
    },
  };
}

function openLine(
  transport: PacketTransport,
  codec: Codec,
  {
    payloadType,
    dtmfPayloadType,
    dtmfClockRate,
    remote,
    peers,
    rtcpMux,
    onNewSource,
  }: Omit<Agreement, 'remote'> & {
    remote: SignalledAddress;
    peers: readonly string[];
    onNewSource: () => void;
  },
): AudioLine & RtpLine {
  return createRtpLine({
    transport,
    codec,
    payloadType,
    ...(dtmfPayloadType === null ? {} : { dtmfPayloadType, dtmfClockRate }),
    remote,
    peers,
    rtcpMux,
    cname: 'parley',
    nowMs: mediaClock.nowMs,
    random: Math.random,
    onNewSource,
  });
}

/** The line without the keys that the filter rejects. */
const withFilteredKeys = (line: AudioLine, dtmfFilter: DtmfFilter): AudioLine => ({
  ...line,
  onDigit: (listener) =>
    line.onDigit((digit) => {
      if (dtmfFilter.accepts('audio')) listener(digit);
    }),
});

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
    one.dtmfClockRate === other.dtmfClockRate &&
    one.rtcpMux === other.rtcpMux &&
    (one.crypto?.key.equals(other.crypto?.key ?? Buffer.alloc(0)) ?? other.crypto === null)
  );
}

function isSameAddress({ remote: one }: Agreement, { remote: other }: Agreement): boolean {
  return one.address === other.address && one.port === other.port;
}
