import { accessibilitySuite } from './accessibility.suite.ts';
import { rolesSuite } from './roles.suite.ts';
import { describeDashboard } from './stage/describe-dashboard.ts';

describeDashboard([rolesSuite, accessibilitySuite]);
