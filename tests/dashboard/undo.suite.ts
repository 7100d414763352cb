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
      // As long as it has the focus it stays, however long that takes.
      await message.getByRole('button', { name: 'Undo' }).focus();
      await checkPage(page, 'settings-undo');
      expect(await nameField(page).inputValue()).not.toBe('Typed before');
      await page.getByRole('heading', { level: 1 }).focus();
      await page.keyboard.press('Control+z');
      await message.waitFor({ state: 'detached' });
      expect(await nameField(page).inputValue()).toBe('Typed before');

      await discardButton(page).first().click();
      await message.waitFor();
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

    it('only Ctrl+Z itself undoes, and in a field the browser undoes what was typed [dashboard.77]', async () => {
      const page = await stage().open(team.people.owner, 'settings');
      const saved = await nameField(page).inputValue();
      await nameField(page).fill('Typed before');
      await discardButton(page).first().click();
      const message = undoable(page, 'Your changes are discarded');
      await message.waitFor();
      await page.getByRole('heading', { level: 1 }).focus();
      const press = (key: string, code: string, others = {}) =>
        page.evaluate(
          `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', ${JSON.stringify({
            ...{ key, code, ctrlKey: true, bubbles: true, cancelable: true },
            ...others,
          })}))`,
        );
      // On a German keyboard Y is where others have Z.
      await press('y', 'KeyZ');
      await press('a', 'KeyA');
      await press('z', 'KeyZ', { ctrlKey: false });
      await press('Z', 'KeyZ', { shiftKey: true });
      await press('z', 'KeyZ', { altKey: true });
      await nameField(page).press('End');
      await page.keyboard.type('!');
      expect(await nameField(page).inputValue()).toBe(`${saved}!`);
      await page.keyboard.press('Control+z');
      await eventually(async () => expect(await nameField(page).inputValue()).toBe(saved));
      expect(await message.isVisible()).toBe(true);
      await page.getByRole('heading', { level: 1 }).focus();
      // The same key where letters are Cyrillic.
      await press('я', 'KeyZ');
      await message.waitFor({ state: 'detached' });
      expect(await nameField(page).inputValue()).toBe('Typed before');
    });

    it('where the button cannot be loaded, nothing is discarded, and the page says so [dashboard.77]', async () => {
      const page = await stage().open(team.people.owner, 'settings');
      await page.route('**/assets/undoable-*.js', (route) => route.abort());
      await nameField(page).fill('Not lost');
      await discardButton(page).first().click();
      const message = page.getByRole('alert').filter({ hasText: 'Undone at once' });
      await message.getByText('the network is down').waitFor();
      expect(await nameField(page).inputValue()).toBe('Not lost');
      await page.reload();
      expect(await nameField(page).inputValue()).toBe('Not lost');
    });

    it.each(['open', 'closed'])(
      'a form that was closed and opened again gets back what was discarded, with what was typed since, while it is %s [dashboard.77]',
      async (isOpen) => {
        const { id } = await team.api.data('POST', '/v1/knowledge-base', { name: 'House rules' });
        const page = await stage().open(team.people.developer, `knowledge/${id}`);
        const open = async () => {
          await page.getByRole('button', { name: 'Add documents' }).first().click();
          await page.getByRole('tab', { name: 'Paste text' }).click();
        };
        const close = async () => {
          await page.keyboard.press('Escape');
          await page.getByRole('dialog').waitFor({ state: 'hidden' });
        };
        const field = (name: string) => page.getByRole('textbox', { name, exact: true });
        const shows = (title: string, text: string) =>
          eventually(async () =>
            expect([await field('Title').inputValue(), await field('Text').inputValue()]).toEqual([
              title,
              text,
            ]),
          );
        await open();
        await field('Title').fill('Discarded');
        await field('Text').fill('From 9 to 17.');
        await close();
        await open();
        await page.getByRole('button', { name: 'Start over' }).click();
        await close();
        await open();
        await shows('', '');
        await field('Title').fill('Typed since');
        if (isOpen === 'closed') await close();
        const message = undoable(page, 'What you had typed is discarded');
        await message.getByRole('button', { name: 'Undo' }).click();
        await message.waitFor({ state: 'detached' });
        if (isOpen === 'closed') await open();
        await shows('Typed since', 'From 9 to 17.');
        await page.getByText('This goes on from where you left.').waitFor();
        await page.reload();
        await open();
        await shows('Typed since', 'From 9 to 17.');
      },
    );

    it.each(['left', 'opened again', 'opened, changed and left again'])(
      'changes of an assistant come back after the editor was %s [dashboard.77]',
      async (since) => {
        const { id } = await team.api.data('POST', '/v1/assistant', { agent_name: 'Ada', config: {} });
        const page = await stage().open(team.people.developer, `assistants/${id}`);
        const name = page.getByRole('textbox', { name: 'Name', exact: true });
        const leave = async () => {
          await page.getByRole('link', { name: 'Numbers' }).first().click();
          await page.getByRole('heading', { level: 1, name: 'Numbers' }).waitFor();
        };
        await page.getByRole('textbox', { name: 'First message' }).click();
        await page.keyboard.insertText('Words of before');
        await page.getByText('Unsaved changes', { exact: true }).waitFor();
        await page.reload();
        await page.getByRole('button', { name: 'Discard them' }).click();
        await leave();
        if (since !== 'left') {
          await page.goBack();
          await name.fill('Typed since');
        }
        if (since.endsWith('left again')) {
          await page.getByRole('link', { name: 'Numbers' }).first().click();
          await page.getByRole('button', { name: 'Leave and keep the draft' }).click();
          await page.getByRole('heading', { level: 1, name: 'Numbers' }).waitFor();
        }
        const message = undoable(page, 'Your changes are discarded');
        await message.getByRole('button', { name: 'Undo' }).click();
        await message.waitFor({ state: 'detached' });
        const isThere = async () => {
          await page.getByText('Words of before').waitFor();
          expect(await name.inputValue()).toBe(since === 'left' ? 'Ada' : 'Typed since');
        };
        if (since === 'opened again') await isThere();
        await page.goto(`${stage().url}assistants/${id}`);
        await isThere();
      },
    );

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
