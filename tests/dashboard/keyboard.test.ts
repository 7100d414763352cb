import { keyboardSuite } from './keyboard.suite.ts';
import { describeDashboard } from './stage/describe-dashboard.ts';

describeDashboard([keyboardSuite]);
