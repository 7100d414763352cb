import { draftsSuite } from './drafts.suite.ts';
import { formsSuite } from './forms.suite.ts';
import { goneDraftsSuite } from './gone-drafts.suite.ts';
import { onceSuite } from './once.suite.ts';
import { sendingSuite } from './sending.suite.ts';
import { describeDashboard } from './stage/describe-dashboard.ts';
import { undoSuite } from './undo.suite.ts';

describeDashboard([draftsSuite, goneDraftsSuite, formsSuite, sendingSuite, onceSuite, undoSuite]);
