import { browserSuite } from './browser.suite.ts';
import { leavingSuite } from './leaving.suite.ts';
import { settingsSuite } from './settings.suite.ts';
import { shellSuite } from './shell.suite.ts';
import { describeDashboard } from './stage/describe-dashboard.ts';

describeDashboard([shellSuite, browserSuite, leavingSuite, settingsSuite]);
