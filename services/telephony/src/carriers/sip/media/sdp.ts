// Session descriptions (RFC 4566, RFC 3264): what this adapter needs of them, one stream of audio.

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';
type Profile = 'RTP/AVP' | 'RTP/SAVP' | 'RTP/AVPF' | 'RTP/SAVPF';

export type AudioFormat = { payloadType: number; name: string; clockRate: number; fmtp: string | null };
export type Crypto = { tag: number; suite: string; key: Buffer };

/** A description of audio, offered or answered. */
export type AudioDescription = {
  address: string;
  /** 0: the stream is refused. */
  port: number;
  profile: Profile;
  direction: Direction;
  /** In the order of preference. */
  formats: AudioFormat[];
  cryptos: Crypto[];
  rtcpMux: boolean;
};

/** A whole description: its audio, and where it is among the streams, since an answer has the same ones. */
export type SessionDescription = { audio: AudioDescription; audioIndex: number; streams: string[] };

const MAX_CHARACTERS = 16_384;
const MAX_LINES = 400;
const MAX_STREAMS = 16;
const MAX_FORMATS = 32;
const PROFILES: ReadonlySet<string> = new Set(['RTP/AVP', 'RTP/SAVP', 'RTP/AVPF', 'RTP/SAVPF']);
const DIRECTIONS: ReadonlySet<string> = new Set(['sendrecv', 'sendonly', 'recvonly', 'inactive']);
const MAX_PORT = 65_535;

/** Payload types that need no rtpmap (RFC 3551). */
const STATIC: Readonly<Record<number, { name: string; clockRate: number }>> = {
  0: { name: 'PCMU', clockRate: 8_000 },
  8: { name: 'PCMA', clockRate: 8_000 },
  9: { name: 'G722', clockRate: 8_000 },
};

type Section = { media: string | null; lines: [type: string, value: string][] };

/** Undefined: the text is not a description that has audio over RTP. Never throws. */
export function parseSdp(text: string): SessionDescription | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const sections = sectionsOf(text);
  const [head, ...media] = sections ?? [];
  if (!head || media.length === 0 || media.length > MAX_STREAMS) return undefined;
  const streams = media.map((section) => section.media ?? '');
  const audioIndex = streams.findIndex((stream) => /^audio [1-9]/.test(stream));
  // A refused stream as well: the far end wants no audio any more.
  const index = audioIndex === -1 ? streams.findIndex((stream) => stream.startsWith('audio ')) : audioIndex;
  const section = media[index];
  const audio = section && audioOf(head, section);
  return audio && { audio, audioIndex: index, streams };
}

function sectionsOf(text: string): Section[] | undefined {
  const lines = text.split(/\r\n|\n/).filter((line) => line !== '');
  if (lines.length > MAX_LINES || !lines[0]?.startsWith('v=0')) return undefined;
  const sections: Section[] = [{ media: null, lines: [] }];
  for (const line of lines) {
    const [, type, value = ''] = /^([a-z])=(.*)$/.exec(line) ?? [];
    if (type === undefined) return undefined;
    if (type === 'm') sections.push({ media: value, lines: [] });
    else sections.at(-1)?.lines.push([type, value]);
  }
  return sections;
}

function audioOf(head: Section, { media, lines }: Section): AudioDescription | undefined {
  const [, port, profile, formats] = /^audio (\d{1,5})(?:\/\d+)? (\S+)((?: \S+)+)$/.exec(media ?? '') ?? [];
  if (port === undefined || profile === undefined || !PROFILES.has(profile)) return undefined;
  const address = addressOf(lines) ?? addressOf(head.lines);
  if (address === undefined || Number(port) > MAX_PORT) return undefined;
  const attributes = lines.flatMap(([type, value]) => (type === 'a' ? [value] : []));
  const ofSession = head.lines.flatMap(([type, value]) => (type === 'a' ? [value] : []));
  const direction = [...attributes, ...ofSession].find((value) => DIRECTIONS.has(value)) ?? 'sendrecv';
  return {
    address,
    port: Number(port),
    profile: profile as Profile,
    // The old way to hold a call.
    direction: address === '0.0.0.0' ? 'inactive' : (direction as Direction),
    formats: formatsOf(formats ?? '', attributes),
    cryptos: attributes.flatMap(cryptoOf),
    rtcpMux: attributes.includes('rtcp-mux'),
  };
}

function addressOf(lines: Section['lines']): string | undefined {
  const value = lines.find(([type]) => type === 'c')?.[1];
  return /^IN IP[46] ([0-9a-fA-F.:]+)(?:\/\d+)*$/.exec(value ?? '')?.[1];
}

function formatsOf(text: string, attributes: readonly string[]): AudioFormat[] {
  const types = text.trim().split(' ', MAX_FORMATS).map(Number);
  return types.flatMap((payloadType): AudioFormat[] => {
    if (!Number.isInteger(payloadType) || payloadType < 0 || payloadType > 127) return [];
    const mapped = attributeOf(attributes, `rtpmap:${payloadType} `);
    const [, name, rate] = /^([A-Za-z0-9_.-]+)\/(\d{1,6})(?:\/\d+)?$/.exec(mapped ?? '') ?? [];
    const known = name === undefined ? STATIC[payloadType] : { name, clockRate: Number(rate) };
    return known ? [{ payloadType, ...known, fmtp: attributeOf(attributes, `fmtp:${payloadType} `) }] : [];
  });
}

function attributeOf(attributes: readonly string[], prefix: string): string | null {
  return (
    attributes
      .find((value) => value.startsWith(prefix))
      ?.slice(prefix.length)
      .trim() ?? null
  );
}

function cryptoOf(attribute: string): Crypto[] {
  const [, tag, suite, key] =
    /^crypto:(\d{1,9}) (\S+) inline:([A-Za-z0-9+/=]+)(?:\|\S*)?/.exec(attribute) ?? [];
  return tag && suite && key ? [{ tag: Number(tag), suite, key: Buffer.from(key, 'base64') }] : [];
}

/** The body of a message of SIP. */
export const sdpBody = (content: string) => ({
  contentDisposition: 'session',
  contentType: 'application/sdp',
  content,
});

export type WrittenSdp = {
  sessionId: number;
  /** Grows with each change. */
  version: number;
  /** Streams of the offer that is answered; only `audioIndex` is accepted. Undefined: an offer of audio alone. */
  streams?: readonly string[];
  audioIndex?: number;
  audio: AudioDescription;
};

export function writeSdp({
  sessionId,
  version,
  streams = ['audio'],
  audioIndex = 0,
  audio,
}: WrittenSdp): string {
  const family = audio.address.includes(':') ? 'IP6' : 'IP4';
  const head = [
    'v=0',
    `o=- ${sessionId} ${version} IN ${family} ${audio.address}`,
    's=-',
    `c=IN ${family} ${audio.address}`,
    't=0 0',
  ];
  const body = streams.flatMap((stream, index) =>
    index === audioIndex ? audioLines(audio) : [`m=${refused(stream)}`],
  );
  return [...head, ...body, ''].join('\r\n');
}

function refused(stream: string): string {
  return stream.replace(/^(\S+) \d+(?:\/\d+)?/, '$1 0');
}

function audioLines({ port, profile, formats, direction, cryptos, rtcpMux }: AudioDescription): string[] {
  return [
    `m=audio ${port} ${profile} ${formats.map(({ payloadType }) => payloadType).join(' ')}`,
    ...formats.flatMap(({ payloadType, name, clockRate, fmtp }) => [
      `a=rtpmap:${payloadType} ${name}/${clockRate}${name === 'opus' ? '/2' : ''}`,
      ...(fmtp === null ? [] : [`a=fmtp:${payloadType} ${fmtp}`]),
    ]),
    ...cryptos.map(({ tag, suite, key }) => `a=crypto:${tag} ${suite} inline:${key.toString('base64')}`),
    ...(rtcpMux ? ['a=rtcp-mux'] : []),
    'a=ptime:20',
    `a=${direction}`,
  ];
}
