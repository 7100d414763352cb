import { assistantsSuite } from './assistants.suite.ts';
import { callsSuite } from './calls.suite.ts';
import { campaignsSuite } from './campaigns.suite.ts';
import { knowledgeSuite } from './knowledge.suite.ts';
import { numbersSuite } from './numbers.suite.ts';
import { describeDashboard } from './stage/describe-dashboard.ts';

describeDashboard([assistantsSuite, knowledgeSuite, numbersSuite, callsSuite, campaignsSuite]);
