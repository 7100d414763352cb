import type { CrashPoint } from '@parley/testkit/stage';

export type NamedPoint = CrashPoint & { name: string; in: 'campaigns' | 'telephony' };

const point = (
  of: NamedPoint['in'],
  name: string,
  when: CrashPoint['when'],
  statement: string,
  value?: string,
): NamedPoint => ({ in: of, name, when, statement, ...(value ? { value } : {}) });

const CLAIM = "UPDATE contacts c SET status = 'queued'";
const ATTEMPTS = 'INSERT INTO attempts';
const OUTBOX = 'DELETE FROM outbox';
const OUTCOME = 'UPDATE attempts a SET state = given.state';
const CAMPAIGN = '^UPDATE "public"."campaigns"';
const REQUEST = 'INSERT INTO dial_requests';
const GRANT = 'INSERT INTO calls ';
const LEG = 'INSERT INTO simulated_legs';
const CALL = 'UPDATE calls c SET status = given.status';

/** Every step of a dial, from the claim of its contact to its outcome, each identified by its statement. */
export const POINTS: readonly NamedPoint[] = [
  point('campaigns', 'after the claim', 'after', CLAIM),
  point('campaigns', 'before the claim is committed', 'before commit', ATTEMPTS),
  point('campaigns', 'after the claim is committed', 'after commit', ATTEMPTS),
  point('campaigns', 'the request is published, and still in the outbox', 'before commit', OUTBOX),
  point('campaigns', 'before the outcome is written', 'before', OUTCOME),
  point('campaigns', 'after the outcome is written, and not acknowledged', 'after', OUTCOME),
  point('campaigns', 'before the campaign is completed', 'before', CAMPAIGN, 'completed'),
  point('telephony', 'the request is received, and not committed', 'before', REQUEST),
  point('telephony', 'the request is committed, and not acknowledged', 'after', REQUEST),
  point('telephony', 'the dial is granted, and not committed', 'before commit', GRANT),
  point('telephony', 'after the grant is committed', 'after commit', GRANT),
  point('telephony', 'before the carrier accepts', 'before', LEG),
  point('telephony', 'after the carrier accepted', 'after', LEG),
  point('telephony', "before the carrier's response is recorded", 'before', CALL),
  point('telephony', 'after the end is recorded', 'after', CALL),
  point('telephony', 'the event is published, and still in the outbox', 'before commit', OUTBOX),
];
