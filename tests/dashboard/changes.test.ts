import { changesSuite } from './changes.suite.ts';
import { conflictsSuite } from './conflicts.suite.ts';
import { homeSuite } from './home.suite.ts';
import { describeDashboard } from './stage/describe-dashboard.ts';
import { steadySuite } from './steady.suite.ts';

describeDashboard([changesSuite, conflictsSuite, homeSuite, steadySuite]);
