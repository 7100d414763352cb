import type { WebRtcOffer } from './read-offer.ts';

export type AnswerParts = {
  ice: { ufrag: string; password: string };
  /** SHA-256 of our certificate. */
  fingerprint: string;
  /** The SSRC of our audio. */
  ssrc: number;
  /** UDP addresses of this process, the preferred one first. */
  candidates: readonly { address: string; port: number }[];
};

const FIRST_PRIORITY = 2_130_706_431;

/** The answer to an offer: ICE-lite, DTLS as the server, all candidates included. */
export function writeAnswer(offer: WebRtcOffer, parts: AnswerParts): string {
  const transport = transportOf(parts);
  const sections = offer.order.map((mid) =>
    mid === offer.audio.mid ? [...audioOf(offer, parts.ssrc), ...transport] : [...dataOf(mid), ...transport],
  );
  const lines = [
    'v=0',
    'o=- 1 1 IN IP4 0.0.0.0',
    's=-',
    't=0 0',
    `a=group:BUNDLE ${offer.order.join(' ')}`,
    'a=ice-lite',
    'a=msid-semantic: WMS *',
    ...sections.flat(),
  ];
  return `${lines.join('\r\n')}\r\n`;
}

function transportOf({ ice, fingerprint, candidates }: AnswerParts): string[] {
  return [
    `a=ice-ufrag:${ice.ufrag}`,
    `a=ice-pwd:${ice.password}`,
    `a=fingerprint:sha-256 ${fingerprint}`,
    'a=setup:passive',
    ...candidates.map(
      ({ address, port }, index) =>
        `a=candidate:${index + 1} 1 udp ${FIRST_PRIORITY - index * 256} ${address} ${port} typ host`,
    ),
    'a=end-of-candidates',
  ];
}

function audioOf(
  { audio: { mid, codec, payloadType, dtmfPayloadType } }: WebRtcOffer,
  ssrc: number,
): string[] {
  const types = [payloadType, ...(dtmfPayloadType === null ? [] : [dtmfPayloadType])];
  const clockRate = codec === 'opus' ? 48_000 : 8_000;
  return [
    `m=audio 9 UDP/TLS/RTP/SAVPF ${types.join(' ')}`,
    'c=IN IP4 0.0.0.0',
    `a=mid:${mid}`,
    'a=sendrecv',
    'a=msid:parley assistant',
    `a=ssrc:${ssrc} cname:parley`,
    'a=rtcp-mux',
    'a=ptime:20',
    codec === 'opus' ? `a=rtpmap:${payloadType} opus/48000/2` : `a=rtpmap:${payloadType} PCMU/8000`,
    ...(codec === 'opus' ? [`a=fmtp:${payloadType} minptime=20;useinbandfec=1`] : []),
    ...(dtmfPayloadType === null ? [] : [`a=rtpmap:${dtmfPayloadType} telephone-event/${clockRate}`]),
  ];
}

function dataOf(mid: string): string[] {
  return [
    'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
    'c=IN IP4 0.0.0.0',
    `a=mid:${mid}`,
    'a=sctp-port:5000',
    'a=max-message-size:16384',
  ];
}
