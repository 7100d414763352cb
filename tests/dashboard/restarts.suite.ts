import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Page } from 'playwright-core';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Team } from './stage/team.ts';

const LONG = { timeoutMs: 90_000 };

/** What a person sees and keeps while the platform or the network is away. */
export function restartsSuite(stage: () => DashboardStage): void {
  describe('restarts and the network', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Restarts');
    });
    const edit = async (name: string): Promise<{ id: string; page: Page }> => {
      const config = { firstMessage: 'Hello.' };
      const { id } = await team.api.data('POST', '/v1/assistant', { agent_name: name, config });
      const page = await stage().open(team.people.developer, `assistants/${id}`);
      await page.getByRole('heading', { level: 1, name }).waitFor();
      return { id, page };
    };
    const write = async (page: Page, text: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'First message', exact: true }).click();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.insertText(text);
      await page.getByText('Unsaved changes', { exact: true }).waitFor();
    };
    const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();
    const refused = (page: Page, words: string | RegExp) =>
      page
        .getByRole('alert')
        .filter({ hasText: 'Not saved' })
        .getByText(words)
        .waitFor({ timeout: LONG.timeoutMs });
    const firstMessageOf = async (id: string): Promise<string> =>
      (await team.api.data('GET', `/v1/assistant/${id}`)).config.firstMessage;
    const untilSaved = async (page: Page, id: string, text: string): Promise<void> => {
      await eventually(async () => {
        await page
          .getByRole('button', { name: 'Try again' })
          .click({ timeout: 1_000 })
          .catch(() => {});
        await page.getByText(/^Saved /).waitFor({ timeout: 5_000 });
      }, LONG);
      expect(await firstMessageOf(id)).toBe(text);
    };
    it('of assistants and of the gateway: the editor says what is wrong, goes on, and saves everything when they are back [dashboard.31]', async () => {
      const { platform } = stage();
      const { id, page } = await edit('Restarted');
      await write(page, 'Typed before.');
      await platform.signal('assistants', 'SIGSTOP');
      try {
        await save(page);
        await refused(page, /did not respond in time|is being restarted or is overloaded/);
      } finally {
        await Promise.all([platform.kill('assistants'), platform.kill('gateway')]);
      }
      const all = 'Typed before, and while the platform was away.';
      await write(page, all);
      await page.keyboard.press('ControlOrMeta+s');
      await untilSaved(page, id, all);
      await page.reload();
      await page.getByText(all).waitFor();
    });

    it('a browser without a network does not save, says so, and saves when it is back [dashboard.31]', async () => {
      const { id, page } = await edit('Offline');
      await write(page, 'Typed before.');
      await page.context().setOffline(true);
      await save(page);
      await refused(page, 'The platform cannot be reached');
      await write(page, 'Typed before, and offline.');
      await page.context().setOffline(false);
      await untilSaved(page, id, 'Typed before, and offline.');
    });

    it('without a network, what has failed is said where nothing can be loaded to say it, and a form is not left unasked [dashboard.31] [dashboard.33]', async () => {
      const page = await stage().open(team.people.owner, 'settings');
      const name = page.getByLabel('Name', { exact: true });
      const question = page.waitForResponse(/leave-dialog/);
      await name.fill('Typed before');
      await question;
      await page.context().setOffline(true);
      const said = page.waitForEvent('dialog');
      // It ends with the browser's own dialog.
      const click = page.getByRole('button', { name: 'Discard changes' }).first().click();
      const words = await said;
      expect(words.message()).toContain('the network is down');
      await words.dismiss();
      await click;
      expect(await name.inputValue()).toBe('Typed before');
      await page.getByRole('link', { name: 'Numbers' }).first().click();
      const leaving = page.getByRole('dialog', { name: 'You have unsaved changes' });
      await leaving.getByRole('button', { name: 'Stay' }).click();
      await leaving.waitFor({ state: 'hidden' });
      expect(await name.inputValue()).toBe('Typed before');
    });

    it('a page that cannot be read again since the network is gone stays, with what was typed, and says so [dashboard.31]', async () => {
      const { id } = await team.api.data('POST', '/v1/knowledge-base', { name: 'House rules' });
      const page = await stage().open(team.people.owner, `knowledge/${id}`);
      const question = page.getByRole('searchbox', { name: 'Search the documents' });
      await question.fill('May I bring a dog?');
      await page.waitForLoadState('networkidle');
      await page.context().setOffline(true);
      await eventually(async () => {
        // As when the person comes back to the tab; what was read just now is not read again.
        await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
        await page.getByText('Reading it again has failed').first().waitFor({ timeout: 3_000 });
      }, LONG);
      expect(await question.inputValue()).toBe('May I bring a dog?');
      await page.context().setOffline(false);
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await page.getByText('Reading it again has failed').waitFor({ state: 'hidden' });
      expect(await question.inputValue()).toBe('May I bring a dog?');
    });
  });
}
