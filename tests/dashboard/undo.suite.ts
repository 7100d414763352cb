import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Page } from 'playwright-core';
import { checkPage } from './stage/check-page.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Team } from './stage/team.ts';

/** What is undone by the button of its message [dashboard.77]. */
export function undoSuite(stage: () => DashboardStage): void {
  describe('undo', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Undo');
    });
    const undoable = (page: Page, message: string) => page.getByRole('alert').filter({ hasText: message });
    const nameField = (page: Page) => page.getByLabel('Name', { exact: true });
    const discardButton = (page: Page) => page.getByRole('button', { name: 'Discard changes' });

    it('a number that was removed from the do-not-call list is put back by a button that Tab reaches [dashboard.77]', async () => {
      const number = '+12125550301';
      await team.api.data('POST', '/v1/do-not-call', { phone_numbers: [number] });
      const page = await stage().open(team.people.developer, 'settings?tab=do-not-call');
      await page.getByRole('button', { name: `Remove ${number}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      const message = undoable(page, `${number} may be called again`);
      await message.waitFor();
      expect((await team.api.request('GET', '/v1/do-not-call')).body.data).toEqual([]);
      // The last one of the page.
      await page.evaluate("document.querySelector('main h1').focus()");
      const isReached = () =>
        page.evaluate(
          "document.activeElement.textContent === 'Undo' && document.activeElement.closest('[role=alert]') !== null",
        );
      for (let i = 0; i < 40 && !(await isReached()); i += 1) await page.keyboard.press('Tab');
      expect(await isReached()).toBe(true);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: `Remove ${number}` }).waitFor();
      await message.waitFor({ state: 'detached' });
      const [listed] = (await team.api.request('GET', '/v1/do-not-call')).body.data;
      expect(listed.phone_number).toBe(number);
      // Not lost with the message.
      await eventually(async () =>
        expect(await page.evaluate('document.activeElement.tagName')).not.toBe('BODY'),
      );
    });

    it('changes that were discarded come back by Ctrl+Z, with what was typed since [dashboard.77]', async () => {
      const page = await stage().open(team.people.owner, 'settings');
      await nameField(page).fill('Typed before');
      await discardButton(page).first().click();
      const message = undoable(page, 'Your changes are discarded');
      await message.waitFor();
      await checkPage(page, 'settings-undo');
      expect(await nameField(page).inputValue()).not.toBe('Typed before');
      await page.getByRole('heading', { level: 1 }).focus();
      await page.keyboard.press('Control+z');
      await message.waitFor({ state: 'detached' });
      expect(await nameField(page).inputValue()).toBe('Typed before');

      await discardButton(page).first().click();
      await message.waitFor();
      // In a field it undoes what was typed there.
      await nameField(page).focus();
      await page.keyboard.press('Control+z');
      await nameField(page).fill('Typed since');
      await message.getByRole('button', { name: 'Undo' }).click();
      await message.waitFor({ state: 'detached' });
      expect(await nameField(page).inputValue()).toBe('Typed since');
      await discardButton(page).first().click();
    });

    it('a dialog that was started over gets back what was typed in it, also after a reload [dashboard.77]', async () => {
      const page = await stage().open(team.people.developer, 'knowledge');
      const open = async () => {
        await page
          .getByRole('button', { name: /knowledge base/ })
          .first()
          .click();
        await page.getByRole('dialog').waitFor();
      };
      await open();
      await page.getByRole('dialog').getByLabel('Name').fill('House rules');
      await page.reload();
      await open();
      await page.getByRole('button', { name: 'Start over' }).click();
      const name = page.getByRole('dialog').getByLabel('Name');
      expect(await name.inputValue()).toBe('');
      await undoable(page, 'What you had typed is discarded').getByRole('button', { name: 'Undo' }).click();
      await eventually(async () => expect(await name.inputValue()).toBe('House rules'));
      await page.reload();
      await open();
      expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('House rules');
    });

    it('changes of an assistant come back after the editor was left [dashboard.77]', async () => {
      const { id } = await team.api.data('POST', '/v1/assistant', { agent_name: 'Ada', config: {} });
      const page = await stage().open(team.people.developer, `assistants/${id}`);
      const first = page.getByRole('textbox', { name: 'First message' });
      await first.click();
      await page.keyboard.insertText('Words of before');
      await page.getByText('Unsaved changes', { exact: true }).waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'Discard them' }).click();
      await page.getByRole('link', { name: 'Numbers' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'Numbers' }).waitFor();
      await undoable(page, 'Your changes are discarded').getByRole('button', { name: 'Undo' }).click();
      await page.goto(`${stage().url}assistants/${id}`);
      await page.getByText('Words of before').waitFor();
    });

    it('what could be undone is over with the session [dashboard.29] [dashboard.77]', async () => {
      const page = await stage().open(team.people.admin, 'settings');
      await nameField(page).fill('Not for the next person');
      await discardButton(page).first().click();
      const message = undoable(page, 'Your changes are discarded');
      await message.waitFor();
      await page.getByRole('button', { name: /^Account/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: /Sign in/ }).waitFor();
      await message.waitFor({ state: 'detached', timeout: 3_000 });
      await page.keyboard.press('Control+z');
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('Not for the next person');
    });
  });
}
