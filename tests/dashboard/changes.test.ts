import { changesSuite } from './changes.suite.ts';
import { describeDashboard } from './stage/describe-dashboard.ts';
import { steadySuite } from './steady.suite.ts';

describeDashboard([changesSuite, steadySuite]);
