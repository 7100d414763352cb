import { expect, it } from '@jest/globals';
import { ERASURE_STEPS } from './removal-steps.ts';

it('the step of the audit log is named after what it searches: an erasure that is open while columns are added reads them [trust.19]', () => {
  expect(ERASURE_STEPS[0]?.name).toContain('request_id');
});
