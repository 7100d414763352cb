import { draftsSuite } from './drafts.suite.ts';
import { describeDashboard } from './stage/describe-dashboard.ts';

describeDashboard([draftsSuite]);
