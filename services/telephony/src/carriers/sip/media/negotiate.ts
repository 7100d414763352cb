import { SRTP_KEY_BYTES, SRTP_SUITE } from '@parley/media/srtp';
import type { SipCodec } from '../../carrier-names.ts';
import type { AudioDescription, AudioFormat, Crypto, Direction } from './sdp.ts';

/** What both ends agreed on. */
export type Agreement = {
  codec: SipCodec;
  payloadType: number;
  dtmfPayloadType: number | null;
  /** Of key presses; it may differ from that of the codec. */
  dtmfClockRate: number;
  remote: { address: string; port: number };
  /** Of the far end. */
  direction: Direction;
  rtcpMux: boolean;
  /** The far end's key; null: not encrypted. */
  crypto: Crypto | null;
};

const EVENTS = 'telephone-event';
const ALL_KEYS = '0-15';
const FORMATS: Readonly<Record<SipCodec, AudioFormat>> = {
  G722: { payloadType: 9, name: 'G722', clockRate: 8_000, fmtp: null },
  PCMU: { payloadType: 0, name: 'PCMU', clockRate: 8_000, fmtp: null },
  PCMA: { payloadType: 8, name: 'PCMA', clockRate: 8_000, fmtp: null },
  opus: { payloadType: 107, name: 'opus', clockRate: 48_000, fmtp: 'useinbandfec=1' },
};
const OPUS_RATE = 48_000;
const EVENT_TYPES: Readonly<Record<number, number>> = { 8000: 101, [OPUS_RATE]: 110 };

/** The formats to offer, with key presses at each clock rate of the codecs. */
export function offeredFormats(codecs: readonly SipCodec[]): AudioFormat[] {
  const formats = codecs.map((codec) => FORMATS[codec]);
  const rates = [...new Set(formats.map(({ clockRate }) => clockRate))];
  const events = rates.flatMap((clockRate): AudioFormat[] => {
    const payloadType = EVENT_TYPES[clockRate];
    return payloadType === undefined ? [] : [{ payloadType, name: EVENTS, clockRate, fmtp: ALL_KEYS }];
  });
  return [...formats, ...events];
}

export function isEncrypted({ profile }: Pick<AudioDescription, 'profile'>): boolean {
  return profile.startsWith('RTP/SAVP');
}

/** The far end's first format that we have; undefined: there is none, or it demands encryption that we don't have. */
export function agree(audio: AudioDescription, codecs: readonly SipCodec[]): Agreement | undefined {
  if (audio.port === 0) return undefined;
  for (const format of audio.formats) {
    const codec = codecs.find((known) => isSame(FORMATS[known], format));
    if (codec === undefined) continue;
    const crypto = audio.cryptos.find(
      ({ suite, key }) => suite === SRTP_SUITE && key.length === SRTP_KEY_BYTES,
    );
    if (isEncrypted(audio) && !crypto) return undefined;
    const events = eventsOf(audio.formats, format.clockRate);
    return {
      codec,
      payloadType: format.payloadType,
      dtmfPayloadType: events?.payloadType ?? null,
      dtmfClockRate: events?.clockRate ?? format.clockRate,
      remote: { address: audio.address, port: audio.port },
      direction: audio.direction,
      rtcpMux: audio.rtcpMux,
      crypto: (isEncrypted(audio) && crypto) || null,
    };
  }
  return undefined;
}

/** The formats of an answer: the one that was chosen, and its key presses. */
export function answeredFormats(
  audio: AudioDescription,
  { codec, payloadType, dtmfPayloadType }: Agreement,
): AudioFormat[] {
  const { clockRate } = FORMATS[codec];
  const events = eventsOf(audio.formats, clockRate);
  return [
    { ...FORMATS[codec], payloadType },
    ...(dtmfPayloadType === null || !events
      ? []
      : [{ payloadType: dtmfPayloadType, name: EVENTS, clockRate: events.clockRate, fmtp: ALL_KEYS }]),
  ];
}

/** Our direction for one of the far end's (RFC 3264, 6.1). */
export function mirrored(direction: Direction): Direction {
  if (direction === 'sendonly') return 'recvonly';
  return direction === 'recvonly' ? 'sendonly' : direction;
}

/** The key presses at the codec's clock rate, as the RFC demands; many far ends have them at 8,000 Hz only. */
function eventsOf(formats: readonly AudioFormat[], clockRate: number): AudioFormat | undefined {
  const events = formats.filter(({ name }) => name.toLowerCase() === EVENTS);
  return events.find((one) => one.clockRate === clockRate) ?? events[0];
}

function isSame(one: AudioFormat, other: AudioFormat): boolean {
  return one.name.toLowerCase() === other.name.toLowerCase() && one.clockRate === other.clockRate;
}
