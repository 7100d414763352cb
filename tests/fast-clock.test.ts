import { campaignRulesSuite } from './campaign-rules.suite.ts';
import { clientSuite } from './client.suite.ts';
import { dashboardEventsSuite } from './dashboard-events.suite.ts';
import { deletionRaceSuite } from './deletion-race.suite.ts';
import { mainJobSuite } from './main-job.suite.ts';
import { describePlatform } from './platform/describe-platform.ts';

/** A minute of the stack lasts three seconds: ringing and silence are still long enough for a busy machine. */
const RATE = 20;

// The campaigns retry for minutes of the stack, which pass while the other suites run.
describePlatform({ clockRate: RATE }, [
  campaignRulesSuite,
  mainJobSuite,
  clientSuite,
  dashboardEventsSuite,
  deletionRaceSuite,
]);
