import { afterAll, afterEach, beforeAll, describe, expect } from '@jest/globals';
import { accessibilitySuite } from './accessibility.suite.ts';
import { assistantsSuite } from './assistants.suite.ts';
import { browserSuite } from './browser.suite.ts';
import { callsSuite } from './calls.suite.ts';
import { campaignsSuite } from './campaigns.suite.ts';
import { hostileSuite } from './hostile.suite.ts';
import { knowledgeSuite } from './knowledge.suite.ts';
import { newUserSuite } from './new-user.suite.ts';
import { numbersSuite } from './numbers.suite.ts';
import { rolesSuite } from './roles.suite.ts';
import { settingsSuite } from './settings.suite.ts';
import { shellSuite } from './shell.suite.ts';
import { type DashboardStage, dashboardStage, hasBrowser } from './stage/dashboard-stage.ts';

// The dashboard in a real browser, with the real platform. A suite per area, each in a workspace of its own; they share one platform and
// one Chromium. `npm test -- tests/dashboard -t 'calls'` runs one of them; `SCREENSHOTS=folder` saves pictures of every page.

if (!hasBrowser) process.stdout.write('The dashboard: skipped without chromium\n');
const describeBrowser = hasBrowser ? describe : describe.skip;

describeBrowser('the dashboard', () => {
  let stage: DashboardStage | undefined;
  const current = (): DashboardStage => {
    if (!stage) throw new Error('the stage is not set up yet');
    return stage;
  };
  beforeAll(async () => {
    stage = await dashboardStage();
  });
  afterEach(async () => {
    await stage?.closePages();
    expect(stage?.complaints).toEqual([]);
  });
  afterAll(async () => {
    await stage?.stop();
  });

  shellSuite(current);
  browserSuite(current);
  newUserSuite(current);
  assistantsSuite(current);
  knowledgeSuite(current);
  numbersSuite(current);
  settingsSuite(current);
  rolesSuite(current);
  hostileSuite(current);
  accessibilitySuite(current);
  callsSuite(current);
  campaignsSuite(current);
});
