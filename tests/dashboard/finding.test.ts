import { findingSuite } from './finding.suite.ts';
import { describeDashboard } from './stage/describe-dashboard.ts';

describeDashboard([findingSuite]);
