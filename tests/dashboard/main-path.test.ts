import { hostileSuite } from './hostile.suite.ts';
import { mainPagesSuite } from './main-pages.suite.ts';
import { newUserSuite } from './new-user.suite.ts';
import { describeDashboard } from './stage/describe-dashboard.ts';

// What always runs of the dashboard; the other files are long ones (see packages/devstack/src/test-run/long-files.ts).
describeDashboard([newUserSuite, mainPagesSuite, hostileSuite]);
