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
import { createKeyWay, type KeyWay } from './key-way.ts';
import { createPortLender } from './lent-transport.ts';
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
  /** Whether our next offer demands SRTP: what was agreed on stays. */
  isSecure(): boolean;
  /** Undefined until both ends have agreed. */
  session(): MediaSession | undefined;
  /** The far end has put us on hold: nothing is heard of it. */
  isHeld(): boolean;
  /** Whether key presses travel with the audio. */
  hasKeys(): boolean;
  /** Whether a key that the far end reports by INFO counts: it may have reported it with the audio already. */
  countsInfoKey(): boolean;
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
  /** Whether our first offer demands SRTP; answers follow the offer, and later offers what was agreed on. */
  isSecure: boolean;
  /** For how long the far end has been sending already: another worker had the leg. By default it has not. */
  startedMsAgo?: number;
  ticker: Ticker;
};

/** In packets of 10 ms, the shortest in use, sequence numbers start over after this time. */
const ROLLOVER_MS = 65_536 * 10;
const MAX_ROLLOVERS = 100;
/** Of the far end, to which it may return. */
const MAX_KEYS = 4;
const OPUS_SAMPLE_RATE = 24_000;

export function createLegMedia(options: LegMediaOptions): LegMedia {
  const { transport, address, codecs, isAllowedAddress, peers, startedMsAgo = 0, ticker } = options;
  const lender = createPortLender(transport);
  const sessionId = randomBytes(5).readUIntBE(0, 5);
  const localKey = randomBytes(SRTP_KEY_BYTES);
  const keyWay = createKeyWay();
  const startedAtMs = mediaClock.nowMs() - startedMsAgo;
  /** By the far end's key: its stream goes on with another codec, and when it returns to a key. */
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

  /** Makes the line follow the agreement. */
  const connect = async (next: Agreement): Promise<void> => {
    const before = agreed;
    agreed = next;
    sinceMs = mediaClock.nowMs();
    const { direction } = next;
    const remote = { ...next.remote, isSendable: isAllowedAddress(next.remote.address) };
    if (before && !(isSameStream(before, next) && isSameAddress(before, next))) keyWay.reset();
    lender.allowSending(direction === 'sendrecv' || direction === 'recvonly');
    if (rtp && before && isSameStream(before, next)) {
      if (!isSameAddress(before, next)) rtp.signal(remote);
    } else {
      const codec = await openCodec(next.codec);
      if (isClosed) return codec.close();
      const plain = lender.lend();
      const transport = next.crypto ? encryptionOf(next.crypto.key).protect(plain) : plain;
      rtp = openLine(transport, codec, { ...next, remote, peers, onNewSource: keyWay.reset });
      line ??= createSwitchLine(codec.sampleRate);
      line.connect(countingKeys(rtp, keyWay));
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
      // What was agreed on comes first, so that a re-INVITE changes nothing needlessly.
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
    countsInfoKey: () => keyWay.counts('info'),
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

/** The line without the keys that don't count. */
const countingKeys = (line: AudioLine, keyWay: KeyWay): AudioLine => ({
  ...line,
  onDigit: (listener) =>
    line.onDigit((digit) => {
      if (keyWay.counts('audio')) listener(digit);
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
