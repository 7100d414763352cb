/** The used part of a browser's offer: one audio stream, one association for data, one transport for both. */
export type WebRtcOffer = {
  ice: { ufrag: string; password: string };
  /** SHA-256 of the certificate, as SDP spells it. */
  fingerprint: string;
  audio: {
    mid: string;
    codec: 'opus' | 'PCMU';
    payloadType: number;
    /** Payload type of telephone-event at the clock rate of the codec. */
    dtmfPayloadType: number | null;
  };
  data: { mid: string; port: number } | null;
  /** The media sections in their order, by mid: the answer has the same. */
  order: string[];
};

/** The offer is malformed or asks for something else; the message is for its author. */
export class OfferError extends Error {
  override name = 'OfferError';
}

/** A browser's offer of a call has about 3,000. */
export const MAX_OFFER_CHARACTERS = 12_000;
const MAX_LINES = 400;
/** A browser has a few for each network. They are counted and ignored: see `createIceServer`. */
const MAX_CANDIDATES = 50;
const TOKEN = /^[\w.+/-]{1,32}$/;
const PCMU_TYPE = 0;
const MAX_PAYLOAD_TYPE = 127;

type Section = { media: string; lines: string[] };

/**
 * Reads an offer. Unused candidates, codecs and extensions are discarded, so that they reach no other code. Throws
 * OfferError.
 */
export function readOffer(sdp: string): WebRtcOffer {
  if (sdp.length > MAX_OFFER_CHARACTERS)
    throw new OfferError(`must have at most ${MAX_OFFER_CHARACTERS} characters`);
  const lines = sdp.split(/\r?\n/);
  if (lines.length > MAX_LINES) throw new OfferError(`must have at most ${MAX_LINES} lines`);
  if (lines[0] !== 'v=0') throw new OfferError('must be SDP, which begins with v=0');
  if (lines.filter((line) => line.startsWith('a=candidate:')).length > MAX_CANDIDATES)
    throw new OfferError(`must have at most ${MAX_CANDIDATES} candidates`);

  const { session, sections } = sectionsOf(lines);
  const audio = onlyOne(sections, 'audio');
  if (!audio) throw new OfferError('must have a section m=audio');
  const data = onlyOne(sections, 'application');
  const other = sections.find((section) => section !== audio && section !== data);
  if (other) throw new OfferError('must have no media but audio and data');
  const order = sections.map((section) => tokenOf(section.lines, 'mid'));
  requireBundle(session, order);
  if (!audio.lines.includes('a=rtcp-mux')) throw new OfferError('must use a=rtcp-mux');

  const common = [...audio.lines, ...session];
  return {
    ice: iceOf(common),
    fingerprint: fingerprintOf(common),
    audio: { mid: tokenOf(audio.lines, 'mid'), ...codecOf(audio) },
    data: data
      ? {
          mid: tokenOf(data.lines, 'mid'),
          port: numberIn(attributeOf(data.lines, 'sctp-port') ?? '5000', 65_535),
        }
      : null,
    order,
  };
}

function sectionsOf(lines: readonly string[]): { session: string[]; sections: Section[] } {
  const session: string[] = [];
  const sections: Section[] = [];
  for (const line of lines) {
    if (line.startsWith('m=')) sections.push({ media: line.slice(2), lines: [] });
    else (sections.at(-1)?.lines ?? session).push(line);
  }
  return { session, sections };
}

function onlyOne(sections: readonly Section[], kind: string): Section | undefined {
  const [first, second] = sections.filter(({ media }) => media.startsWith(`${kind} `));
  if (second) throw new OfferError(`must have one section m=${kind}`);
  return first;
}

function requireBundle(session: readonly string[], mids: readonly string[]): void {
  const group =
    session
      .find((line) => line.startsWith('a=group:BUNDLE '))
      ?.split(' ')
      .slice(1) ?? [];
  if (new Set(mids).size !== mids.length || !mids.every((mid) => group.includes(mid)))
    throw new OfferError('must bundle all media on one transport (a=group:BUNDLE)');
}

function iceOf(lines: readonly string[]): WebRtcOffer['ice'] {
  const ufrag = attributeOf(lines, 'ice-ufrag') ?? '';
  const password = attributeOf(lines, 'ice-pwd') ?? '';
  if (!/^[\w+/-]{4,256}$/.test(ufrag)) throw new OfferError('must have a=ice-ufrag of 4-256 characters');
  if (!/^[\w+/-]{22,256}$/.test(password)) throw new OfferError('must have a=ice-pwd of 22-256 characters');
  return { ufrag, password };
}

function fingerprintOf(lines: readonly string[]): string {
  const setup = attributeOf(lines, 'setup');
  if (setup !== 'actpass' && setup !== 'active')
    throw new OfferError('must have a=setup:actpass or a=setup:active');
  const value = attributeOf(lines, 'fingerprint') ?? '';
  const [, digest] = /^sha-256 ((?:[0-9a-f]{2}:){31}[0-9a-f]{2})$/i.exec(value) ?? [];
  if (!digest) throw new OfferError('must have a=fingerprint with sha-256');
  return digest.toUpperCase();
}

/** Opus if it is offered, otherwise PCMU, as every browser has both (RFC 7874). */
function codecOf({ media, lines }: Section): Omit<WebRtcOffer['audio'], 'mid'> {
  const offered = media.split(' ').slice(3);
  const typeOf = (encoding: RegExp): number | undefined => {
    for (const line of lines) {
      const [, type = '', name = ''] = /^a=rtpmap:(\d{1,3}) (\S+)$/.exec(line) ?? [];
      if (offered.includes(type) && encoding.test(name)) return numberIn(type, MAX_PAYLOAD_TYPE);
    }
    return undefined;
  };
  const opus = typeOf(/^opus\/48000\/2$/i);
  if (opus !== undefined)
    return {
      codec: 'opus',
      payloadType: opus,
      dtmfPayloadType: typeOf(/^telephone-event\/48000$/i) ?? null,
    };
  if (!offered.includes(String(PCMU_TYPE))) throw new OfferError('must offer opus or PCMU');
  return {
    codec: 'PCMU',
    payloadType: PCMU_TYPE,
    dtmfPayloadType: typeOf(/^telephone-event\/8000$/i) ?? null,
  };
}

function attributeOf(lines: readonly string[], name: string): string | undefined {
  const prefix = `a=${name}:`;
  return lines
    .find((line) => line.startsWith(prefix))
    ?.slice(prefix.length)
    .trim();
}

function tokenOf(lines: readonly string[], name: string): string {
  const value = attributeOf(lines, name) ?? '';
  if (!TOKEN.test(value)) throw new OfferError(`must have a=${name} in each section`);
  return value;
}

function numberIn(text: string, max: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > max)
    throw new OfferError(`has a number outside of 0-${max}`);
  return value;
}
