import { changesSuite } from './changes.suite.ts';
import { describeDashboard } from './stage/describe-dashboard.ts';

describeDashboard([changesSuite]);
