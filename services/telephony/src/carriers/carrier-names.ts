/** The carriers that an operator can configure. Web calls have their own. */
export const CARRIER_NAMES = ['sip', 'simulator'] as const;
export type CarrierName = (typeof CARRIER_NAMES)[number];

/** The codecs of SIP calls, best first by default. */
export const SIP_CODEC_NAMES = ['G722', 'PCMU', 'PCMA', 'opus'] as const;
export type SipCodec = (typeof SIP_CODEC_NAMES)[number];
