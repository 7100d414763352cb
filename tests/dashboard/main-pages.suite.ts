import { beforeAll, describe, expect, it } from '@jest/globals';
import { checkPage } from './stage/check-page.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import { untilLoaded } from './stage/every-page.ts';
import type { Team } from './stage/team.ts';

const PAGES = ['', 'assistants', 'calls', 'campaigns', 'webhooks'] as const;

export function mainPagesSuite(stage: () => DashboardStage): void {
  describe('the main pages', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Main');
    });

    it('have no violations of axe, need no horizontal scrolling, and do not move while they are loaded [dashboard.24]', async () => {
      const page = await stage().open(team.people.owner, 'favicon.svg');
      for (const path of PAGES) {
        await page.goto(`${stage().url}${path}`);
        await untilLoaded(page);
        await checkPage(page, `main-${path || 'home'}`);
      }
    });

    it('show a viewer what needs another role, disabled with the reason [dashboard.22]', async () => {
      const page = await stage().open(team.people.viewer, 'assistants');
      const create = page.getByRole('button', { name: 'New assistant', exact: true }).first();
      await create.waitFor();
      expect(await create.getAttribute('aria-disabled')).toBe('true');
      expect(await create.getAttribute('aria-description')).toContain('You are viewer here');
    });
  });
}
