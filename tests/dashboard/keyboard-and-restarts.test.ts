import { focusSuite } from './focus.suite.ts';
import { keyboardSuite } from './keyboard.suite.ts';
import { offlineSuite } from './offline.suite.ts';
import { restartsSuite } from './restarts.suite.ts';
import { describeDashboard } from './stage/describe-dashboard.ts';

describeDashboard([keyboardSuite, focusSuite, offlineSuite, restartsSuite]);
