import { expect, it } from '@jest/globals';
import { identityOf, type RemovalStep } from '@parley/kit/removal';
import { ERASURE_STEPS } from './removal-steps.ts';

it('the step of the audit log is known by what it searches: an erasure that is open while columns are added reads them [trust.19]', () => {
  expect(identityOf(ERASURE_STEPS[0] as RemovalStep)).toContain('request_id');
});
