import { afterAll, afterEach, beforeAll, describe, expect } from '@jest/globals';
import { type DashboardStage, dashboardStage, hasBrowser } from './dashboard-stage.ts';

/**
 * Suites of the dashboard in a real browser, with the real platform. Each suite is an area in a workspace of its own; the suites of a file
 * share one platform and one Chromium. `SCREENSHOTS=folder` saves pictures of every page.
 */
export function describeDashboard(suites: readonly ((stage: () => DashboardStage) => void)[]): void {
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
    for (const suite of suites) suite(current);
  });
}
