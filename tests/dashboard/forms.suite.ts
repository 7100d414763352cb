import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Locator, Page } from 'playwright-core';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import { holdChanges } from './stage/hold-changes.ts';
import type { Team } from './stage/team.ts';

const RESTORED = 'This goes on from where you left.';
const TOO_LONG = 300_001;

/** What a person does while a form is being sent, what forms show once, and what they store. */
export function formsSuite(stage: () => DashboardStage): void {
  describe('forms', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Forms');
    });
    const hasText = (field: Locator, text: string) =>
      eventually(async () => expect(await field.inputValue()).toBe(text));
    const stored = (page: Page): Promise<string> => page.evaluate('JSON.stringify(localStorage)');
    const focused = (page: Page): Promise<string> =>
      page.evaluate("document.activeElement?.textContent ?? ''");

    it.each([
      ['a key', 'developers', 'Create a key', 'Create the key', 'I have stored it'],
      ['a link', 'settings?tab=members', 'Invite', 'Invite', 'Done'],
      ['a secret', 'webhooks', 'Rotate the secret', 'Rotate the secret', 'Done'],
    ])(
      'a dialog stays until %s is there, which is shown once, and the focus goes into and out of it [dashboard.23] [dashboard.34] [dashboard.70]',
      async (what, path, opener, send, done) => {
        const page = await stage().open(team.people.owner, path);
        await page.getByRole('button', { name: opener, exact: true }).first().click();
        const dialog = page.getByRole('dialog');
        if (path === 'developers') await dialog.getByLabel('Name', { exact: true }).fill('Held');
        if (opener === 'Invite') await dialog.getByLabel('E-mail address').fill('grace@example.com');
        const release = await holdChanges(page);
        await dialog.getByRole('button', { name: send, exact: true }).click();
        await closeInAnyWay(page, dialog);
        release();
        const value = dialog.getByRole('region', { name: what.replace('a ', ''), exact: true });
        await eventually(async () => expect(await focused(page)).toBe(await value.textContent()));
        await dialog.getByRole('button', { name: done }).press('Enter');
        await dialog.waitFor({ state: 'hidden' });
        await eventually(async () => expect(await focused(page)).toBe(opener));
      },
    );

    it('a dialog stays until the secret of an assistant is there, which is shown once [dashboard.70]', async () => {
      await team.api.data('POST', '/v1/assistant', { agent_name: 'Ada', config: {} });
      const page = await stage().open(team.people.owner, 'webhooks');
      await page.getByRole('button', { name: 'Set a secret of an assistant' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('combobox', { name: 'Assistant' }).click();
      await page.getByRole('option', { name: 'Ada' }).click();
      const release = await holdChanges(page);
      await dialog.getByRole('button', { name: 'Set a new secret' }).click();
      await closeInAnyWay(page, dialog);
      expect(await dialog.getByRole('combobox', { name: 'Assistant' }).isDisabled()).toBe(true);
      release();
      const made = page.getByRole('dialog', { name: 'The new secret of Ada' });
      await made.getByText('Copy it now').waitFor();
      await page.keyboard.press('Escape');
      await page.mouse.click(5, 5);
      expect(await made.locator('pre').textContent()).toMatch(/^whsec_/);
      await made.getByRole('button', { name: 'Done' }).click();
      await made.waitFor({ state: 'hidden' });
    });

    it('a question stays while what it asked for is done, and says that it failed [dashboard.31]', async () => {
      await team.api.data('POST', '/v1/do-not-call', { phone_numbers: ['+14155550195'] });
      const page = await stage().open(team.people.owner, 'settings?tab=do-not-call');
      await page.getByRole('button', { name: 'Remove +14155550195' }).click();
      const dialog = page.getByRole('dialog', { name: 'Remove from the list?' });
      let release = (): void => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route('**/v1/do-not-call/**', async (route) => {
        await released;
        await route.fulfill({ status: 500, json: { error: { code: 'INTERNAL_ERROR', message: 'Not now' } } });
      });
      await dialog.getByRole('button', { name: 'Remove' }).click();
      await closeInAnyWay(page, dialog);
      release();
      await dialog.getByText('Not now').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'hidden' });
    });

    it('a dialog stays while its request runs, so that no page opens by surprise: a new assistant [dashboard.33]', async () => {
      const page = await stage().open(team.people.owner, 'assistants');
      await page.getByRole('button', { name: 'New assistant' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'New assistant' });
      await dialog.getByLabel('Name').fill('Held');
      const release = await holdChanges(page);
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();
      await closeInAnyWay(page, dialog);
      release();
      await page.getByRole('heading', { name: 'Held', level: 1 }).waitFor();
    });

    it('a drawer stays while its request runs: a number and a tool [dashboard.33]', async () => {
      const page = await stage().open(team.people.owner, 'numbers');
      const drawer = page.getByRole('dialog');
      const sendHeld = async (button: string) => {
        const release = await holdChanges(page);
        await drawer.getByRole('button', { name: button }).click();
        await closeInAnyWay(page, drawer);
        release();
      };
      await page.getByRole('button', { name: 'Add number' }).first().click();
      await page.getByRole('menuitem', { name: 'Connect by SIP trunk' }).click();
      await drawer.getByLabel('Phone number').fill('+14155550190');
      await drawer.getByLabel('Address of the trunk').fill('sip.example.com');
      await sendHeld('Connect number');
      await page.getByRole('heading', { name: '+1 (415) 555-0190', level: 1 }).waitFor();

      const { id } = await team.api.data('POST', '/v1/assistant', { agent_name: 'Held', config: {} });
      await page.goto(`${stage().url}assistants/${id}?tab=tools`);
      await page.getByRole('button', { name: 'Add tool' }).click();
      await drawer.getByLabel('Name', { exact: true }).fill('held_tool');
      await drawer.getByLabel('URL').fill('https://example.com/held');
      await sendHeld('Add tool');
      await page.getByText('held_tool is added').waitFor();
      await drawer.waitFor({ state: 'hidden' });
    });

    it('values of a test are there again, and are no draft when they are emptied [dashboard.33]', async () => {
      const config = { firstMessage: 'Hello {{guest}}' };
      const agent = await team.api.data('POST', '/v1/assistant', { agent_name: 'Greets', config });
      const page = await stage().open(team.people.owner, `assistants/${agent.id}`);
      const guest = page.getByRole('complementary', { name: 'Test' }).getByLabel('guest');
      await guest.fill('Grace');
      await page.reload();
      await page.getByText(RESTORED).waitFor();
      await hasText(guest, 'Grace');
      await guest.fill('');
      await page.getByText(RESTORED).waitFor({ state: 'hidden' });
      expect(await stored(page)).not.toContain('parley:draft:');
    });

    it('a text for a knowledge base that is too long for the browser is not stored, but its title is [dashboard.33]', async () => {
      const base = await team.api.data('POST', '/v1/knowledge-base', { name: 'Long' });
      const page = await stage().open(team.people.owner, `knowledge/${base.id}`);
      const open = async () => {
        await page.getByRole('button', { name: 'Add documents' }).first().click();
        await page.getByRole('tab', { name: 'Paste text' }).click();
      };
      await open();
      await page.getByRole('textbox', { name: 'Title' }).fill('A whole book');
      await page.getByRole('textbox', { name: 'Text', exact: true }).fill('x'.repeat(TOO_LONG));
      expect((await stored(page)).length).toBeLessThan(TOO_LONG);
      await page.reload();
      await open();
      await hasText(page.getByRole('textbox', { name: 'Title' }), 'A whole book');
    });
  });
}

/** A dialog whose request runs stays. */
async function closeInAnyWay(page: Page, dialog: Locator): Promise<void> {
  const buttons = dialog.getByRole('button', { name: /^(Close|Cancel)$/ });
  await eventually(async () => expect(await buttons.last().isDisabled()).toBe(true));
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  expect(await dialog.isVisible()).toBe(true);
}
