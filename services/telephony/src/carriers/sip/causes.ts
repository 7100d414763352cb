import type { EndCause, ProviderCause } from '../call-control.ts';

/** Why a leg was not answered or has ended, in terms of SIP. */
export type SipEnd = {
  /** Of the final response; null for a BYE. */
  status: number | null;
  /** The reason phrase, or a more precise text. */
  text: string;
  /** The value of the Reason header (RFC 3326). */
  reason: string | null;
  /** After it has rung, the end is the human's decision. */
  hasRung: boolean;
};

/** Other final responses are judged by their class. A function: the cause depends on whether it has rung. */
const BY_STATUS: Readonly<Record<number, EndCause | ((hasRung: boolean) => EndCause)>> = {
  // Wrong credentials fail every call of the trunk, not this one: the number's circuit opens.
  401: 'transient',
  403: 'refused',
  404: 'refused',
  407: 'transient',
  408: (hasRung) => (hasRung ? 'no_answer' : 'transient'),
  410: 'refused',
  429: 'transient',
  480: 'no_answer',
  481: 'transient',
  482: 'transient',
  483: 'transient',
  484: 'refused',
  485: 'refused',
  486: 'busy',
  487: (hasRung) => (hasRung ? 'no_answer' : 'transient'),
  488: 'refused',
  491: 'transient',
  600: 'busy',
  603: 'busy',
  604: 'refused',
  606: 'refused',
};

/** The causes of the telephone network behind a gateway (ITU-T Q.850), where they say more than the response. */
const BY_Q850: Readonly<Record<number, EndCause>> = {
  1: 'refused',
  2: 'refused',
  3: 'refused',
  17: 'busy',
  18: 'no_answer',
  19: 'no_answer',
  20: 'no_answer',
  21: 'refused',
  22: 'refused',
  27: 'transient',
  28: 'refused',
  34: 'transient',
  38: 'transient',
  41: 'transient',
  42: 'transient',
  44: 'transient',
  47: 'transient',
};

const DECLINED = 603;
/** Of Q.850. */
const REJECTED = 21;
const MAX_TEXT_CHARACTERS = 200;

/** The cause of a leg that was never answered. */
export function causeOf({ status, reason, hasRung }: SipEnd): EndCause {
  const code = q850Of(reason) ?? -1;
  const q850 = BY_Q850[code];
  // "Rejected" means the same as 603: the callee does not want this call now.
  if (q850 && !(status === DECLINED && code === REJECTED)) return q850;
  const known = BY_STATUS[status ?? 0];
  if (known) return typeof known === 'function' ? known(hasRung) : known;
  return status !== null && status >= 500 && status < 600 ? 'transient' : 'refused';
}

/** The far end's own words, for the timeline: `486` and `Busy Here`, with the Q.850 cause if it gave one. */
export function providerCauseOf({ status, text, reason }: SipEnd): ProviderCause {
  const q850 = q850Of(reason);
  const words = reason === null ? text : `${text} (${reason})`;
  return {
    code: status === null ? (q850 === null ? null : `Q.850 ${q850}`) : String(status),
    text: words === '' ? null : words.slice(0, MAX_TEXT_CHARACTERS),
  };
}

function q850Of(reason: string | null): number | null {
  const cause = /(?:^|,)\s*Q\.850\s*(?:;[^,]*?)?;\s*cause\s*=\s*(\d{1,3})/i.exec(reason ?? '')?.[1];
  return cause === undefined ? null : Number(cause);
}
