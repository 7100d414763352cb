import {
  callerRequest,
  expectRequest,
  expectResponse,
  respond,
  respondInside,
  respondToInvite,
  type Step,
} from '@parley/testkit/sip';
import { CALLED, CALLER } from './stage.ts';

// What sipp does in most scenarios.

/** Rings and answers. */
export const ANSWERED: readonly Step[] = [
  expectRequest('INVITE'),
  respond(180, 'Ringing'),
  respond(200, 'OK', { sdp: true }),
  expectRequest('ACK'),
];

/** Is hung up by us. */
export const BYE: readonly Step[] = [expectRequest('BYE'), respondInside(200, 'OK')];

/** Is cancelled by us. */
export const CANCELLED: readonly Step[] = [
  expectRequest('CANCEL'),
  respondInside(200, 'OK'),
  respondToInvite(487, 'Request Terminated'),
  expectRequest('ACK'),
];

/** Agrees to a re-INVITE of ours. */
export const REINVITED: readonly Step[] = [
  expectRequest('INVITE'),
  respondInside(200, 'OK', { sdp: true }),
  expectRequest('ACK'),
];

/** What may come before the answer to its call. */
export const PROVISIONAL: readonly Step[] = [
  expectResponse(100, { optional: true }),
  expectResponse(180, { optional: true }),
];

/** The two ends of a call of sipp. */
export const ENDS = { to: CALLED, from: CALLER };
export const invite = (extra: object = {}, cseq = 1): Step =>
  callerRequest('INVITE', { ...ENDS, cseq, sdp: true, ...extra });
export const ack = (cseq = 1, extra: object = {}): Step =>
  callerRequest('ACK', { ...ENDS, cseq, inside: true, ...extra });

/** Calls us, and is answered. */
export const CALLS: readonly Step[] = [invite(), ...PROVISIONAL, expectResponse(200), ack()];
