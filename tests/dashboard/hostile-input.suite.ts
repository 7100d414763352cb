import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Page } from 'playwright-core';
import { type Conversations, conversations, HOSTILE, takenAsMore } from './stage/conversations.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';

const NUMBER = '+15550230001';
const LONG = { timeoutMs: 60_000 };
/** As a cell of a CSV file. */
const CELL = `"${HOSTILE.replaceAll('"', '""')}"`;

/** Texts of files, callees and servers [dashboard.48]. */
export function hostileInputSuite(stage: () => DashboardStage): void {
  describe('hostile input', () => {
    let world: Conversations;
    beforeAll(async () => {
      world = await conversations(await stage().createTeam('Input'), NUMBER);
      const { api } = world.team;
      const [number] = (await api.request('POST', '/v1/phone-number/list', {})).body.data;
      await api.data('PUT', `/v1/phone-number/${number.id}`, { inbound_agent_id: world.agentId });
    });
    afterAll(async () => {
      await world?.hooks.close();
    });
    const open = (path: string): Promise<Page> => stage().open(world.team.people.owner, path);
    const shows = async (page: Page, text = HOSTILE): Promise<void> => {
      await page.getByRole('main').or(page.getByRole('dialog')).getByText(text).first().waitFor();
      expect(await takenAsMore(page)).toEqual([]);
    };

    it('of a list of contacts is text: the name of the file, the titles of its columns and its cells [dashboard.48]', async () => {
      const page = await open('campaigns/new');
      await page.getByLabel('Name').fill(HOSTILE);
      await page.getByRole('combobox', { name: 'Assistant' }).click();
      await page.getByRole('option', { name: 'Ada' }).click();
      await page.getByRole('combobox', { name: 'Number' }).click();
      await page.getByRole('option').first().click();
      await page.getByRole('button', { name: 'Next', exact: true }).click();
      const list = `phone,name,${CELL}\n+12125550101,${CELL},${CELL}\n`;
      await page.getByLabel('CSV file of contacts').setInputFiles({
        name: `of ${HOSTILE}.csv`,
        mimeType: 'text/csv',
        buffer: Buffer.from(list),
      });
      await page.getByText('1 contact can be called').waitFor();
      await shows(page, `of ${HOSTILE}.csv`);
      const columns = page.getByRole('region', { name: 'Columns' });
      // The title of one column, and the samples of both.
      await eventually(async () => expect(await columns.getByText(HOSTILE, { exact: true }).count()).toBe(3));
      await shows(page, `Hello ${HOSTILE}`);
    });

    it('of contacts is text, their variables included [dashboard.48]', async () => {
      const { campaign_id: id } = await world.team.api.data('POST', '/v1/campaigns', {
        campaign_name: HOSTILE,
        agent_id: world.agentId,
        phone_number: NUMBER,
        contacts: [
          { phone_number: '+12125550101', contact_name: HOSTILE, custom_data: { [HOSTILE]: HOSTILE } },
        ],
      });
      const page = await open(`campaigns/${id}`);
      await page.getByRole('button', { name: 'Choose columns' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Variables' }).click();
      await page.keyboard.press('Escape');
      await shows(page, JSON.stringify({ [HOSTILE]: HOSTILE }));
    });

    it('of a callee is text, in the lists and in every tab of the call [dashboard.48]', async () => {
      const { api } = world.team;
      const caller = { from_number: '+12125550142', to_number: NUMBER, script: [HOSTILE, 'Goodbye.'] };
      const { call_id: id } = await api.data('POST', '/simulator/inbound', caller);
      await eventually(async () => {
        const { status } = await api.data('GET', `/v2/call/${id}`);
        expect(status).toBe('completed');
      }, LONG);
      const page = await open(`calls/${id}`);
      await shows(page);
      for (const tab of ['timeline', 'webhooks', 'json']) {
        await page.goto(`${stage().url}calls/${id}?tab=${tab}`);
        await shows(page);
      }
      await page.goto(`${stage().url}calls`);
      await page.locator('tr[data-link]').first().waitFor();
      expect(await takenAsMore(page)).toEqual([]);
    });

    it('of a server that answers a test of its endpoint is text [dashboard.48]', async () => {
      const { url } = world.hooks;
      world.hooks.script('/page', { body: HOSTILE, headers: { 'x-note': HOSTILE } });
      world.hooks.script('/data', { body: { [HOSTILE]: HOSTILE }, status: 500 });
      const page = await open('webhooks');
      for (const path of ['/page', '/data']) {
        await page.getByRole('button', { name: 'Send a test' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('URL').fill(`${url}${path}`);
        await dialog.getByRole('button', { name: 'Send', exact: true }).click();
        await dialog.getByText('Delivered').or(dialog.getByText('Not delivered')).first().waitFor();
        const response = dialog.getByRole('region', { name: 'Response' });
        await eventually(async () => expect(await response.textContent()).toContain(JSON.stringify(HOSTILE)));
        expect(await takenAsMore(page)).toEqual([]);
        await dialog.getByRole('button', { name: 'Close' }).last().click();
        await dialog.waitFor({ state: 'hidden' });
      }
    });
  });
}
