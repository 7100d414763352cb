import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Locator, Page } from 'playwright-core';
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
    /** Other parts of the page may have failed requests, too. */
    const tryAgain = (failed: Locator) => failed.getByRole('button', { name: 'Try again' }).click();

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
      await tryAgain(failure);
      await failure.waitFor();
      await page.context().setOffline(false);
      await tryAgain(failure);
      await page.getByRole('dialog', { name: 'Add to House rules' }).waitFor();
      expect(await failure.count()).toBe(0);
      expect(await question.inputValue()).toBe('May I bring a dog?');
    });

    it('a field whose choices cannot be loaded says so, and loads them when asked [dashboard.31]', async () => {
      await team.api.data('POST', '/v1/assistant', { agent_name: 'Choice', config: {} });
      const page = await open('calls');
      const assistants = '**/v1/assistant/list';
      await page.route(assistants, (route) => route.fulfill({ status: 403, json: {} }));
      await page.getByRole('button', { name: 'Call a number' }).click();
      const dialog = page.getByRole('dialog', { name: 'Call a number' });
      const again = dialog.getByRole('button', { name: 'Try again' });
      await again.waitFor();
      await checkPage(page, 'choices-not-loaded');
      await page.unroute(assistants);
      await again.press('Enter');
      await again.waitFor({ state: 'hidden' });
      await dialog.getByRole('combobox', { name: 'Assistant' }).click();
      await page.getByRole('option', { name: 'Choice' }).waitFor();
    });

    it('a part of a page that cannot be loaded leaves the rest, says so, and is shown later [dashboard.31]', async () => {
      const page = await open('settings');
      await page.getByLabel('Name', { exact: true }).waitFor();
      await page.context().setOffline(true);
      await page.getByRole('tab', { name: 'Members' }).click();
      const failure = page.getByRole('alert').filter({ hasText: 'A part of this page could not be loaded' });
      await failure.waitFor();
      await checkPage(page, 'part-not-loaded');
      await page.getByRole('tab', { name: 'Workspace' }).click();
      await page.getByLabel('Name', { exact: true }).waitFor();
      await page.getByRole('tab', { name: 'Members' }).click();
      await page.context().setOffline(false);
      await tryAgain(failure);
      await page.getByRole('button', { name: 'Invite' }).waitFor();
    });

    it('a page that cannot be loaded leaves the navigation, says so, and is shown later [dashboard.31]', async () => {
      const page = await open();
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      await page.context().setOffline(true);
      await page.getByRole('link', { name: 'Numbers' }).first().click();
      await page.getByRole('heading', { name: 'Not loaded', level: 1 }).waitFor();
      const failure = page.getByRole('alert').filter({ hasText: 'This page could not be loaded' });
      await failure.waitFor();
      await checkPage(page, 'page-not-loaded');
      await page.getByRole('link', { name: 'Home' }).first().click();
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      // The page looks whether the gateway responds: then it would reload itself.
      const looked = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/dashboard/'));
      await page.getByRole('link', { name: 'Numbers' }).first().click();
      await looked;
      await page.context().setOffline(false);
      await tryAgain(failure);
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

    it('a page that cannot be loaded after it was reloaded says so, and is not reloaded again [dashboard.31]', async () => {
      const page = await open();
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      await page.route('**/assets/numbers-page-*', (route) => route.fulfill({ status: 404 }));
      let loads = 0;
      page.on('load', () => {
        loads += 1;
      });
      await page.getByRole('link', { name: 'Numbers' }).first().click();
      await eventually(() => expect(loads).toBe(1));
      await page.getByRole('alert').filter({ hasText: 'This page could not be loaded' }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(loads).toBe(1);
    });
  });
}
