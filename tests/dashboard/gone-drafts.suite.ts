import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Page } from 'playwright-core';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Team } from './stage/team.ts';

const NUMBER = '+14155550173';

/** Drafts to which nothing leads any more leave the browser [dashboard.73]. */
export function goneDraftsSuite(stage: () => DashboardStage): void {
  describe('the draft of something that is gone', () => {
    let team: Team;
    let agentId = '';
    beforeAll(async () => {
      team = await stage().createTeam('Gone');
      agentId = (await team.api.data('POST', '/v1/assistant', { agent_name: 'Ada', config: {} })).id;
      await team.api.data('POST', '/v1/phone-number/sip', {
        phone_number: NUMBER,
        termination_uri: 'sip.example.com',
      });
    });
    const open = (path: string): Promise<Page> => stage().open(team.people.owner, path);
    const has = (page: Page, count: number) =>
      eventually(async () => {
        const keys = "Object.keys(localStorage).filter((key) => key.startsWith('parley:draft:'))";
        expect(await page.evaluate(keys)).toHaveLength(count);
      });
    const closeDialog = async (page: Page) => {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    };

    it('is removed with a key that is revoked [dashboard.73]', async () => {
      const page = await open('developers');
      await page.getByRole('button', { name: 'Create a key' }).first().click();
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Old shop');
      await page.getByRole('button', { name: 'Create the key' }).click();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByRole('button', { name: 'Settings of Old shop' }).click();
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('New shop');
      await closeDialog(page);
      await has(page, 1);
      await page.getByRole('button', { name: 'Revoke Old shop' }).click();
      await page.getByRole('button', { name: 'Revoke the key' }).click();
      await page.getByText('Revoked', { exact: true }).waitFor();
      await has(page, 0);
    });

    it('is removed with an assistant and all that belongs to it, deleted here or elsewhere [dashboard.73]', async () => {
      const make = async (name: string): Promise<string> =>
        (await team.api.data('POST', '/v1/assistant', { agent_name: name, config: {} })).id;
      const type = async (page: Page) => {
        await page.getByRole('button', { name: 'Add tool' }).click();
        await page.getByRole('dialog').getByLabel('When to use it').fill('Checks a day.');
        await closeDialog(page);
        await page.getByRole('tab', { name: 'Prompt' }).click();
        await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Renamed');
        await has(page, 2);
      };
      const elsewhere = await make('Goes elsewhere');
      const page = await open(`assistants/${elsewhere}?tab=tools`);
      await type(page);
      await team.api.request('DELETE', `/v1/assistant/${elsewhere}`);
      await page.goto(`${stage().url}favicon.svg`);
      await page.goto(`${stage().url}assistants/${elsewhere}`);
      await page.getByText('Not found', { exact: true }).waitFor();
      await has(page, 0);

      await page.goto(`${stage().url}assistants/${await make('Goes here')}?tab=tools`);
      await type(page);
      await page.getByRole('button', { name: 'Actions of Goes here' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      const question = page.getByRole('dialog', { name: 'Delete Goes here?' });
      await question.getByRole('textbox').fill('Goes here');
      await question.getByRole('button', { name: 'Delete assistant' }).click();
      await page.getByText('Goes here is deleted').waitFor();
      await has(page, 0);
    });

    it('is removed with a tool that was deleted elsewhere [dashboard.73]', async () => {
      const tool = await team.api.data('POST', '/v1/tool/custom', {
        agent_id: agentId,
        tool_name: 'check_day',
        endpoint_url: 'https://example.com/check',
        http_method: 'POST',
      });
      const page = await open(`assistants/${agentId}?tab=tools`);
      await page.getByRole('button', { name: 'check_day', exact: true }).click();
      await page.getByRole('dialog').getByLabel('When to use it').fill('Checks a day.');
      await closeDialog(page);
      await has(page, 1);
      await team.api.request('DELETE', `/v1/tool/${tool.id}`);
      await page.getByText('No custom tools yet').waitFor({ timeout: 20_000 });
      await has(page, 0);
    });

    it('is removed with a campaign that has ended [dashboard.73]', async () => {
      const campaign = await team.api.data('POST', '/v1/campaigns', {
        campaign_name: 'Pick-ups',
        agent_id: agentId,
        phone_number: NUMBER,
        contacts: [{ phone_number: '+12125550107' }],
      });
      const page = await open(`campaigns/${campaign.campaign_id}`);
      await page.getByRole('button', { name: 'Add contacts' }).click();
      await page.getByRole('tab', { name: 'Paste' }).click();
      await page.getByLabel('Rows of contacts').fill('+12125550117');
      await closeDialog(page);
      await has(page, 1);
      await page.getByRole('button', { name: 'Cancel campaign' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel campaign' }).click();
      await page.getByText('Cancelled', { exact: true }).waitFor();
      await has(page, 0);
    });

    it('of 30 days ago is removed when the dashboard is opened [dashboard.73]', async () => {
      const page = await open('knowledge');
      await page.getByRole('button', { name: 'New knowledge base' }).first().click();
      await page.getByRole('dialog').getByLabel('Name').fill('House rules');
      await closeDialog(page);
      await page.evaluate(`for (const [key, text] of Object.entries(localStorage))
        if (key.startsWith('parley:draft:'))
          localStorage.setItem(key, JSON.stringify({ ...JSON.parse(text), at: Date.now() - 31 * 86400000 }))`);
      await has(page, 1);
      await page.reload();
      await has(page, 0);
    });
  });
}
