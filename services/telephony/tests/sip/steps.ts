import { expectRequest, expectResponse, respond, respondInside, type Step } from '@parley/testkit/sip';

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
