import { accessibilitySuite } from './accessibility.suite.ts';
import { hostileSuite } from './hostile.suite.ts';
import { rolesSuite } from './roles.suite.ts';
import { describeDashboard } from './stage/describe-dashboard.ts';

describeDashboard([rolesSuite, hostileSuite, accessibilitySuite]);
