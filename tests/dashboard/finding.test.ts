import { findingSuite } from './finding.suite.ts';
import { hostileInputSuite } from './hostile-input.suite.ts';
import { describeDashboard } from './stage/describe-dashboard.ts';
import { webhooksSuite } from './webhooks.suite.ts';

describeDashboard([findingSuite, webhooksSuite, hostileInputSuite]);
