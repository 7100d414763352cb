import { beforeAll, describe, expect, it } from '@jest/globals';
import { checkPage } from './stage/check-page.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Team } from './stage/team.ts';

const PASSWORD = 'password-of-the-trunk';

export function numbersSuite(stage: () => DashboardStage): void {
  describe('numbers', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Numbers');
    });

    it('a number is connected by SIP; what is wrong is said while typing or at the field, and secrets are never shown [dashboard.68]', async () => {
      await team.api.data('POST', '/v1/assistant', { agent_name: 'Ada' });
      const page = await stage().open(team.people.developer, 'numbers');
      await page.getByRole('button', { name: 'Add number' }).first().click();
      await page.getByRole('menuitem', { name: 'Connect by SIP trunk' }).click();
      const form = page.getByRole('dialog', { name: 'Connect by SIP trunk' });
      await form.getByLabel('Phone number').fill('415 555 0123');
      await form.getByText('Begin with + and the country code').waitFor();
      await form.getByLabel('Address of the trunk').fill('sip:sip.example.com');
      await form.getByText('Leave the scheme out').waitFor();
      const connect = form.getByRole('button', { name: 'Connect number' });
      expect(await connect.isDisabled()).toBe(true);
      await form.getByLabel('Phone number').fill('+1 (415) 555-0123');
      await form.getByLabel('Address of the trunk').fill('sip.example.com:5060');
      await form.getByLabel('User name').fill('ada');
      await checkPage(page, 'number-connect');
      // The API wants both or neither.
      await connect.click();
      await form.getByRole('alert').filter({ hasText: 'password' }).waitFor();
      await form.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await connect.click();
      await page.getByRole('heading', { name: '+1 (415) 555-0123' }).waitFor();

      await page.getByRole('combobox', { name: 'Answers calls' }).click();
      await page.getByRole('option', { name: 'Ada' }).click();
      await page.getByLabel('Calls per second').fill('0.05');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('at least 0.1').first().waitFor();
      await page.getByLabel('Calls per second').fill('2');
      await page.keyboard.press('Enter');
      await page.getByText('Saved', { exact: true }).waitFor();
      const [number] = (await team.api.request('POST', '/v1/phone-number/list', {})).body.data;
      expect(number).toMatchObject({ phone_number: '+14155550123', max_cps: 2, inbound_agent_name: 'Ada' });
      await checkPage(page, 'number');
      expect(await page.content()).not.toContain(PASSWORD);
    });

    it('deleting a number names what blocks it, and otherwise does it [dashboard.68]', async () => {
      const agent = await team.api.data('POST', '/v1/assistant', { agent_name: 'Bea' });
      const number = await team.api.data('POST', '/v1/phone-number/sip', {
        phone_number: '+14155550177',
        termination_uri: 'sip.example.com',
        outbound_agent_id: agent.id,
      });
      const { campaign_id: campaignId } = await team.api.data('POST', '/v1/campaigns', {
        campaign_name: 'Spring',
        agent_id: agent.id,
        phone_number: '+14155550177',
        contacts: [{ phone_number: '+14155550178' }],
      });
      const page = await stage().open(team.people.developer, `numbers/${number.id}`);
      await page.getByRole('button', { name: 'Delete number' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(/to confirm/).fill('+14155550177');
      await dialog.getByRole('button', { name: 'Delete number' }).click();
      await dialog.getByRole('alert').filter({ hasText: 'Spring' }).waitFor();
      await team.api.data('POST', `/v1/campaigns/${campaignId}/cancel`);
      await dialog.getByRole('button', { name: 'Delete number' }).click();
      await page.getByRole('heading', { name: 'Numbers', exact: true }).waitFor();
      expect((await team.api.request('GET', `/v1/phone-number/${number.id}`)).status).toBe(404);
      await checkPage(page, 'numbers');
    });
  });
}
