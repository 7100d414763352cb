import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Page } from 'playwright-core';
import { checkPage } from './stage/check-page.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Team } from './stage/team.ts';

/** Parts of the dashboard that are loaded when they are needed, and cannot be loaded then [dashboard.31]. */
export function offlineSuite(stage: () => DashboardStage): void {
  describe('without a network', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Offline');
    });
    const open = (path = ''): Promise<Page> => stage().open(team.people.owner, path);
    const tryAgain = (page: Page) => page.getByRole('button', { name: 'Try again' }).click();

    it('a dialog that cannot be loaded leaves its page and what is typed there, says so, and opens later [dashboard.31] [dashboard.33]', async () => {
      const { id } = await team.api.data('POST', '/v1/knowledge-base', { name: 'House rules' });
      const page = await open(`knowledge/${id}`);
      const question = page.getByRole('searchbox', { name: 'Search the documents' });
      const opener = page.getByRole('button', { name: 'Add documents' }).first();
      const failure = page.getByRole('dialog', { name: 'Not loaded' });
      await question.fill('May I bring a dog?');
      await page.waitForLoadState('networkidle');
      await page.context().setOffline(true);
      await opener.click();
      await failure.getByText('This could not be opened').waitFor();
      expect(await question.inputValue()).toBe('May I bring a dog?');
      await checkPage(page, 'dialog-not-loaded');
      await page.keyboard.press('Escape');
      await failure.waitFor({ state: 'detached' });
      await eventually(async () =>
        expect(await page.evaluate('document.activeElement?.textContent')).toBe('Add documents'),
      );
      await opener.click();
      await failure.waitFor();
      await tryAgain(page);
      await failure.waitFor();
      await page.context().setOffline(false);
      await tryAgain(page);
      await page.getByRole('dialog', { name: 'Add to House rules' }).waitFor();
      expect(await failure.count()).toBe(0);
      expect(await question.inputValue()).toBe('May I bring a dog?');
    });

    it('a part of a page that cannot be loaded leaves the rest, says so, and is shown later [dashboard.31]', async () => {
      const page = await open('settings');
      await page.getByLabel('Name', { exact: true }).waitFor();
      await page.context().setOffline(true);
      await page.getByRole('tab', { name: 'Members' }).click();
      await page.getByRole('alert').getByText('A part of this page could not be loaded').waitFor();
      await checkPage(page, 'part-not-loaded');
      await page.getByRole('tab', { name: 'Workspace' }).click();
      await page.getByLabel('Name', { exact: true }).waitFor();
      await page.getByRole('tab', { name: 'Members' }).click();
      await page.context().setOffline(false);
      await tryAgain(page);
      await page.getByRole('button', { name: 'Invite' }).waitFor();
    });

    it('a page that cannot be loaded leaves the navigation, says so, and is shown later [dashboard.31]', async () => {
      const page = await open();
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      await page.context().setOffline(true);
      await page.getByRole('link', { name: 'Numbers' }).first().click();
      await page.getByRole('heading', { name: 'Not loaded', level: 1 }).waitFor();
      await page.getByRole('alert').getByText('This page could not be loaded').waitFor();
      await checkPage(page, 'page-not-loaded');
      await page.getByRole('link', { name: 'Home' }).first().click();
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      await page.getByRole('link', { name: 'Numbers' }).first().click();
      await page.context().setOffline(false);
      await tryAgain(page);
      await page.getByRole('heading', { name: 'Numbers', level: 1 }).waitFor();
    });

    it('a page whose files a newer version has replaced is loaded in that version [dashboard.31]', async () => {
      const page = await open();
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      let isReplaced = false;
      await page.route('**/assets/numbers-page-*', (route) =>
        isReplaced ? route.continue() : route.fulfill({ status: 404 }),
      );
      await page.route('**/dashboard/', (route) => {
        isReplaced = true;
        return route.fulfill({
          body: '<script type="module" src="/dashboard/assets/index-newer.js"></script>',
        });
      });
      await page.getByRole('link', { name: 'Numbers' }).first().click();
      await page.getByRole('heading', { name: 'Numbers', level: 1 }).waitFor();
      expect(isReplaced).toBe(true);
    });
  });
}
