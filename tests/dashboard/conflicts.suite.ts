import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Page } from 'playwright-core';
import { checkPage } from './stage/check-page.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Team } from './stage/team.ts';

/** What another person saves while a form is open, also where the page learns of it late [dashboard.61]. */
export function conflictsSuite(stage: () => DashboardStage): void {
  describe('two editors', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Conflicts');
    });
    /** Without live updates, and as in a hidden tab, which does not poll: only saving can find what another person has saved. */
    const openLate = async (path: string): Promise<Page> => {
      const page = await stage().open(team.people.owner, 'favicon.svg');
      await page.route('**/dashboard/api/events', (route) => route.abort());
      await page.addInitScript("Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })");
      await page.goto(`${stage().url}${path}`);
      return page;
    };
    const createKey = async (page: Page, name: string) => {
      await page.getByRole('button', { name: 'Create a key' }).first().click();
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill(name);
      await page.getByRole('button', { name: 'Create the key' }).click();
      await page.getByRole('button', { name: 'I have stored it' }).click();
    };
    const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();
    const conflict = (page: Page) => page.getByRole('dialog', { name: 'Changed by somebody else' });

    it('a number that another person has saved in the meantime is compared before it is saved [dashboard.61]', async () => {
      const { id } = await team.api.data('POST', '/v1/phone-number/sip', {
        phone_number: '+14155550164',
        termination_uri: 'sip.example.com',
      });
      const page = await openLate(`numbers/${id}`);
      await page.getByLabel('Calls per second').fill('7');
      await team.api.data('PUT', `/v1/phone-number/${id}`, { max_cps: 3 });
      await save(page);
      await conflict(page).getByRole('cell', { name: '3', exact: true }).waitFor();
      const stored = async () => (await team.api.data('GET', `/v1/phone-number/${id}`)).max_cps;
      expect(await stored()).toBe(3);
      await conflict(page).getByRole('button', { name: 'Keep mine' }).click();
      await conflict(page).waitFor({ state: 'hidden' });
      await save(page);
      await eventually(async () => expect(await stored()).toBe(7));
    });

    it('a key that another person has saved in the meantime is compared before it is saved [dashboard.61]', async () => {
      const page = await openLate('developers');
      await createKey(page, 'Shared');
      const others = await stage().open(team.people.admin, 'developers');
      const rename = async (at: Page, name: string) => {
        await at.getByRole('button', { name: 'Settings of Shared' }).click();
        await at.getByRole('dialog').getByLabel('Name', { exact: true }).fill(name);
      };
      await rename(page, 'Mine');
      await rename(others, 'Theirs');
      await save(others);
      await others.getByRole('dialog').waitFor({ state: 'hidden' });
      await save(page);
      await conflict(page).getByRole('cell', { name: 'Theirs', exact: true }).waitFor();
      await others.reload();
      await others.getByRole('button', { name: 'Settings of Theirs' }).waitFor();
      await conflict(page).getByRole('button', { name: 'Keep mine' }).click();
      await conflict(page).waitFor({ state: 'hidden' });
      await save(page);
      await page.getByRole('button', { name: 'Settings of Mine' }).waitFor();
    });

    it('a key whose settings cannot be read again before they are saved is not saved [dashboard.61]', async () => {
      const page = await openLate('developers');
      await createKey(page, 'Unread');
      await page.getByRole('button', { name: 'Settings of Unread' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill('Renamed');
      const sent: string[] = [];
      page.on('request', (request) => sent.push(request.method()));
      await page.route('**/dashboard/api/keys/*', (route) => route.abort());
      await save(page);
      await dialog.getByRole('alert').getByText('The platform cannot be reached').waitFor();
      expect(sent).not.toContain('PATCH');
      expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('Renamed');
    });

    it('a key that another person has revoked is said to be, with what was typed, and cannot be saved [dashboard.61] [dashboard.73]', async () => {
      const page = await stage().open(team.people.owner, 'developers');
      const others = await stage().open(team.people.admin, 'favicon.svg');
      const dialog = page.getByRole('dialog');
      const typeAndRevoke = async (at: Page, name: string) => {
        await at.getByRole('button', { name: `Settings of ${name}` }).click();
        await at.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Mine');
        await others.goto(`${stage().url}developers`);
        await others.getByRole('button', { name: `Revoke ${name}` }).click();
        await others.getByRole('button', { name: 'Revoke the key' }).click();
        await others.getByText(`“${name}” is revoked`).waitFor();
      };
      const isSaid = async (at: Page) => {
        await at.getByRole('alert').filter({ hasText: 'This key was revoked' }).waitFor();
        expect(await at.getByRole('dialog').getByLabel('Name', { exact: true }).inputValue()).toBe('Mine');
        expect(await at.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
      };
      await createKey(page, 'Seen');
      await typeAndRevoke(page, 'Seen');
      await isSaid(page);
      await checkPage(page, 'key-revoked');
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await dialog.waitFor({ state: 'hidden' });
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('parley:draft:');

      // Where the page has not learned of it yet, saving finds it.
      const late = await openLate('developers');
      await createKey(late, 'Unseen');
      await typeAndRevoke(late, 'Unseen');
      await save(late);
      await isSaid(late);
    });

    it('JSON that is not valid yet stays when another person saves, and is put together with it [dashboard.62]', async () => {
      const { id } = await team.api.data('POST', '/v1/assistant', {
        agent_name: 'Both',
        config: { firstMessage: 'Hello.' },
      });
      const stored = () => team.api.data('GET', `/v1/assistant/${id}`);
      const { agent_type, config } = await stored();
      const mine = JSON.stringify({ agent_name: 'Mine', agent_type, config });
      const page = await stage().open(team.people.developer, `assistants/${id}?tab=json`);
      const write = async (text: string) => {
        await page.getByRole('textbox', { name: 'Configuration as JSON' }).click();
        await page.keyboard.press('ControlOrMeta+a');
        await page.keyboard.insertText(text);
      };
      await write(mine.slice(0, -1));
      await page.getByText('Not taken over yet').waitFor();
      await team.api.data('PATCH', `/v1/assistant/${id}`, { config: { firstMessage: 'Theirs.' } });
      await page.getByText('It was changed since you began this text').waitFor();
      await page.getByText('"agent_name":"Mine"').waitFor();
      await page.reload();
      await page.getByText('"agent_name":"Mine"').waitFor();
      await write(mine);
      await page.getByText('"Theirs."').waitFor();
      await page.keyboard.press('ControlOrMeta+s');
      await page.getByText(/^Saved /).waitFor();
      const { agent_name, config: saved } = await stored();
      expect([agent_name, saved.firstMessage]).toEqual(['Mine', 'Theirs.']);
    });
  });
}
