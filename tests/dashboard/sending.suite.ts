import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Locator, Page } from 'playwright-core';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import { holdChanges } from './stage/hold-changes.ts';
import type { Team } from './stage/team.ts';

const RESTORED = 'This goes on from where you left.';

/** What a person types while a form is being sent, or after they have left it and come back [dashboard.33]. */
export function sendingSuite(stage: () => DashboardStage): void {
  describe('forms that are being sent', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Sending');
    });
    const hasText = (field: Locator, text: string) =>
      eventually(async () => expect(await field.inputValue()).toBe(text));
    const stored = (page: Page): Promise<string> => page.evaluate('JSON.stringify(localStorage)');

    it('a text stays that is typed while the former one is being uploaded and its dialog was closed [dashboard.33] [dashboard.67]', async () => {
      const base = await team.api.data('POST', '/v1/knowledge-base', { name: 'Busy' });
      const page = await stage().open(team.people.owner, `knowledge/${base.id}`);
      const open = async () => {
        await page.getByRole('button', { name: 'Add documents' }).first().click();
        await page.getByRole('tab', { name: 'Paste text' }).click();
      };
      const field = (name: string) => page.getByRole('textbox', { name, exact: true });
      await open();
      await field('Title').fill('First');
      await field('Text').fill('Dogs are welcome.');
      const release = await holdChanges(page);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await open();
      await field('Title').fill('Second');
      release();
      // What was uploaded is no draft any more.
      await hasText(field('Text'), '');
      await hasText(field('Title'), 'Second');
      await page.reload();
      await open();
      await hasText(field('Title'), 'Second');
      await hasText(field('Text'), '');
    });

    it('numbers stay that are typed while the former ones are being added [dashboard.33]', async () => {
      const page = await stage().open(team.people.owner, 'settings?tab=do-not-call');
      const field = page.getByRole('textbox', { name: 'Numbers', exact: true });
      await field.fill('+14155550191');
      const release = await holdChanges(page);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await field.fill('+14155550191\n+14155550192');
      release();
      await page.getByText('1 number added').waitFor();
      await hasText(field, '+14155550191\n+14155550192');
    });

    it('a form that was left while its request ran, and opened again, is empty when that is done: a tool [dashboard.33]', async () => {
      await team.api.data('POST', '/v1/assistant', { agent_name: 'Left', config: {} });
      const page = await stage().open(team.people.owner);
      await page.getByRole('link', { name: 'Tools' }).first().click();
      const drawer = page.getByRole('dialog');
      const name = drawer.getByLabel('Name', { exact: true });
      const open = async () => {
        await page.getByRole('button', { name: 'New tool' }).click();
        await page.getByRole('option', { name: 'Left' }).click();
        await name.waitFor();
      };
      await open();
      await name.fill('left_tool');
      await drawer.getByLabel('URL').fill('https://example.com/left');
      const release = await holdChanges(page);
      await drawer.getByRole('button', { name: 'Add tool' }).click();
      await leaveAndReturn(page, 'Tools');
      await open();
      await hasText(name, 'left_tool');
      await page.getByText(RESTORED).waitFor();
      release();
      await page.getByText('left_tool is added').waitFor();
      await hasText(name, '');
      expect(await page.getByText(RESTORED).count()).toBe(0);
      expect(await stored(page)).not.toContain('parley:draft:');
    });

    it('a form that was left while its request ran, and opened again, keeps only what was typed since: a call [dashboard.33] [dashboard.52]', async () => {
      await team.api.data('POST', '/v1/phone-number/sip', {
        phone_number: '+14155550196',
        termination_uri: 'sip.example.com',
      });
      await team.api.data('POST', '/v1/assistant', { agent_name: 'Calls', config: {} });
      const page = await stage().open(team.people.owner);
      await page.getByRole('link', { name: 'Calls' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'Call a number' });
      const to = dialog.getByLabel('Number to call');
      const open = () => page.getByRole('button', { name: 'Call a number' }).click();
      await open();
      await to.fill('+15550140008');
      await dialog.getByRole('combobox', { name: 'From' }).click();
      await page.getByRole('option').first().click();
      await dialog.getByRole('combobox', { name: 'Assistant' }).click();
      await page.getByRole('option', { name: 'Calls' }).click();
      const release = await holdChanges(page);
      await dialog.getByRole('button', { name: 'Call', exact: true }).click();
      await leaveAndReturn(page, 'Calls');
      await open();
      await hasText(to, '+15550140008');
      await to.fill('+15550140009');
      release();
      await page.getByRole('heading', { level: 1, name: '+1 (555) 014-0008' }).waitFor();
      await dialog.waitFor({ state: 'hidden' });
      await page.getByRole('link', { name: 'Calls' }).first().click();
      await open();
      await hasText(to, '+15550140009');
      expect(await dialog.getByRole('combobox', { name: 'From' }).inputValue()).toBe('');
    });

    it('what is typed for a key or a tool while it is being saved stays, and is saved next [dashboard.33]', async () => {
      const page = await stage().open(team.people.owner, 'developers');
      const dialog = page.getByRole('dialog');
      const saveAndType = async (button: string, field: Locator) => {
        await field.fill('First');
        const release = await holdChanges(page);
        await dialog.getByRole('button', { name: button }).click();
        await eventually(async () =>
          expect(await dialog.getByRole('button', { name: 'Close' }).last().isDisabled()).toBe(true),
        );
        await field.fill('First, and second');
        release();
        await page
          .getByText(/^Saved|is saved$/)
          .first()
          .waitFor();
        expect(await field.inputValue()).toBe('First, and second');
        await dialog.getByRole('button', { name: button }).click();
        await dialog.waitFor({ state: 'hidden' });
        expect(await stored(page)).not.toContain('parley:draft:');
      };
      await page.getByRole('button', { name: 'Create a key' }).first().click();
      await dialog.getByLabel('Name', { exact: true }).fill('Typed on');
      await page.getByRole('button', { name: 'Create the key' }).click();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByRole('button', { name: 'Settings of Typed on' }).click();
      await saveAndType('Save', dialog.getByLabel('Name', { exact: true }));
      await page.getByRole('button', { name: 'Settings of First, and second' }).waitFor();

      const { id } = await team.api.data('POST', '/v1/assistant', { agent_name: 'Typed on', config: {} });
      const tool = await team.api.data('POST', '/v1/tool/custom', {
        ...{ agent_id: id, tool_name: 'typed_on', http_method: 'POST' },
        endpoint_url: 'https://example.com/typed',
      });
      await page.goto(`${stage().url}assistants/${id}?tab=tools`);
      await page.getByRole('button', { name: 'typed_on', exact: true }).click();
      await saveAndType('Save tool', dialog.getByLabel('When to use it'));
      expect((await team.api.data('GET', `/v1/tool/${tool.id}`)).description).toBe('First, and second');
    });
  });
}

/** By the browser's own buttons: a dialog whose request runs is not closed otherwise. */
async function leaveAndReturn(page: Page, title: string): Promise<void> {
  await page.goBack();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  await page.goForward();
  await page.getByRole('heading', { name: title, level: 1 }).waitFor();
}
