/** The carriers that an operator can configure. Web calls have their own. */
export const CARRIER_NAMES = ['simulator'] as const;
export type CarrierName = (typeof CARRIER_NAMES)[number];
