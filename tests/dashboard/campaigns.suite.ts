import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Page } from 'playwright-core';
import { checkPage } from './stage/check-page.ts';
import { listOf200 } from './stage/contact-list.ts';
import { type Conversations, conversations, HOSTILE } from './stage/conversations.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';

const FROM = '+15550150001';
const LONG = { timeoutMs: 60_000 };
const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/;

/** Of the first contact. */
const NAME = HOSTILE.replaceAll('"', "'");

export function campaignsSuite(stage: () => DashboardStage): void {
  describe('campaigns', () => {
    let world: Conversations;
    beforeAll(async () => {
      const team = await stage().createTeam('Campaigns');
      world = await conversations(team, FROM);
      const { workspace_id } = team.workspace;
      await stage().platform.parley(
        'workspace',
        'set',
        '--workspace',
        workspace_id,
        '--max-live-calls',
        '100',
      );
    });
    afterAll(async () => {
      await world?.hooks.close();
    });
    const open = (path: string, role: 'developer' | 'viewer' = 'developer'): Promise<Page> =>
      stage().open(world.team.people[role], path);
    const next = (page: Page) => page.getByRole('button', { name: 'Next', exact: true }).click();
    const step = (page: Page, name: string) => page.getByRole('heading', { level: 2, name }).waitFor();
    const chooseCaller = async (page: Page, name: string) => {
      await page.getByLabel('Name').fill(name);
      await page.getByRole('combobox', { name: 'Assistant' }).click();
      await page.getByRole('option', { name: 'Ada' }).click();
      await page.getByRole('combobox', { name: 'Number' }).click();
      await page.getByRole('option').first().click();
      await next(page);
      await step(page, 'Contacts');
    };
    const draft = async (contacts: object[]): Promise<string> =>
      (
        await world.team.api.data('POST', '/v1/campaigns', {
          campaign_name: `Draft of ${contacts.length}`,
          agent_id: world.agentId,
          phone_number: FROM,
          contacts,
        })
      ).campaign_id;

    it('are created from a list with bad rows, run, and lead to their calls [dashboard.45] [dashboard.46] [dashboard.47]', async () => {
      const page = await open('campaigns');
      await page.getByText('No campaigns yet').waitFor();
      await checkPage(page, 'campaigns-empty');
      await page.getByRole('link', { name: 'New campaign' }).first().click();
      await step(page, 'Caller');
      await next(page);
      await page.getByText('Choose who calls').waitFor();
      await checkPage(page, 'new-campaign-caller');
      await chooseCaller(page, 'Pick-ups');
      await page.getByLabel('CSV file of contacts').setInputFiles({
        name: 'list.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(listOf200({ name: NAME })),
      });
      await page.getByText('193 contacts can be called').waitFor();
      const bad = page.getByRole('region', { name: 'Rows that cannot be called' }).locator('tbody tr');
      expect((await bad.allInnerTexts()).map((text) => text.split('\t')[0]?.trim())).toEqual(
        [22, 42, 62, 82, 102, 122, 142].map(String),
      );
      await bad.filter({ hasText: 'A spreadsheet has rounded this number' }).waitFor();
      const preview = page.getByRole('region', { name: 'Preview of the first message' });
      expect(await preview.textContent()).toContain(`Hello ${NAME}, your tandem`);
      await checkPage(page, 'new-campaign-contacts');
      await page.getByLabel('Phone number of row 62').fill('+1 212 999 0008');
      await page.keyboard.press('Enter');
      await page.getByText('194 contacts can be called').waitFor();
      await next(page);
      await step(page, 'Hours and retries');
      await page.getByRole('switch', { name: /certain hours/ }).check({ force: true });
      await page.getByText('Mon–Fri 09:00–17:00').waitFor();
      await checkPage(page, 'new-campaign-hours');
      await page.getByRole('switch', { name: /certain hours/ }).uncheck({ force: true });
      await next(page);
      await step(page, 'Review');
      await page.getByText('6 rows left out').waitFor();
      await checkPage(page, 'new-campaign-review');
      await page.getByRole('radio', { name: /Now/ }).check({ force: true });
      await page.getByRole('button', { name: 'Create and start' }).click();
      await page.waitForURL(UUID);
      await page.getByText('194 of 194').first().waitFor({ timeout: LONG.timeoutMs });
      await page.getByText('every contact has its outcome').waitFor();
      await checkPage(page, 'campaign');
      await page.getByRole('link', { name: 'Open call' }).first().click();
      await page.getByText('Contact hung up').first().waitFor();
      await page.goBack();
      await page.getByRole('button', { name: 'Status', exact: true }).click();
      await page.getByRole('button', { name: 'Not reached', exact: true }).click();
      await page.getByText('No contact has this status').waitFor();
      expect(page.url()).toContain('status=failed');
      expect(await page.evaluate('window.hacked')).toBeUndefined();
    });

    it('are paused, resumed, added to and cancelled, and say what they wait for [dashboard.47]', async () => {
      const id = await draft([{ phone_number: '+12125550007', contact_name: 'Grace' }]);
      const page = await open(`campaigns/${id}`);
      await page.getByText('Draft', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Add contacts' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('tab', { name: 'Paste' }).click();
      await dialog.getByLabel('Rows of contacts').fill('+12125550107\n+12125550207');
      await dialog.getByRole('button', { name: 'Use these rows' }).click();
      await dialog.getByRole('button', { name: 'Add 2 contacts' }).click();
      await page.getByText('2 contacts added.').waitFor();
      await page.getByText('0 of 3').first().waitFor();
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByText('Running', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('The campaign is paused.').first().waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('Running', { exact: true }).waitFor();
      const results = page.getByRole('link', { name: 'Results as CSV' });
      expect(await results.getAttribute('href')).toBe(`/v1/campaigns/${id}/contacts.csv`);
      await page.getByRole('button', { name: 'Cancel campaign' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel campaign' }).click();
      await page.getByText('Cancelled', { exact: true }).waitFor();
      expect(await world.team.api.data('GET', `/v1/campaigns/${id}`)).toMatchObject({ status: 'cancelled' });
    });

    it('lose nothing that was typed when the page is loaded again [dashboard.50]', async () => {
      const page = await open('campaigns/new');
      await chooseCaller(page, 'Typed before');
      await page.getByRole('tab', { name: 'Paste' }).click();
      await page.getByLabel('Rows of contacts').fill('phone,name\n+12125550101,Grace');
      await page.getByRole('button', { name: 'Use these rows' }).click();
      await page.getByText('1 contact can be called').waitFor();
      page.on('dialog', (dialog) => void dialog.accept());
      await page.reload();
      await page.getByText('This goes on from where you left.').waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe('Typed before');
      await next(page);
      await page.getByText('1 contact can be called').waitFor();
      await page.getByText('{{bicycle}} is empty for everybody').waitFor();
      await page.getByRole('button', { name: 'Start over' }).click();
      await eventually(async () => expect(await page.getByLabel('Name').inputValue()).toBe(''));
    });

    it('are opened by requests that are sent together, and none is sent while the pointer is on the link', async () => {
      const id = await draft([{ phone_number: '+12125550101' }, { phone_number: '+12125550102' }]);
      const page = await open('campaigns');
      const requested = new Set<string>();
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route(`**/v1/campaigns/${id}**`, async (route) => {
        const part = new URL(route.request().url()).pathname.replace(`/v1/campaigns/${id}`, '');
        requested.add(part);
        if (part === '') await held;
        await route.continue();
      });
      const link = page.locator(`main a[href="/dashboard/campaigns/${id}"]`);
      await link.hover();
      await page.waitForTimeout(500);
      expect([...requested]).toEqual([]);
      await link.click();
      await eventually(() => expect([...requested].sort()).toEqual(['', '/contacts', '/explain']));
      release();
      await page.getByRole('heading', { level: 1, name: 'Draft of 2' }).waitFor();
      await page.getByText('+1 (212) 555-0102').waitFor();
    });

    it('are shown while a part of their page takes long, and stay when it fails', async () => {
      const id = await draft([{ phone_number: '+12125550101' }, { phone_number: '+12125550102' }]);
      const page = await open('campaigns');
      let answer = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await page.route(`**/v1/campaigns/${id}/explain`, async (route) => {
        await held;
        await route.fulfill({
          status: 403,
          json: { success: false, error: { code: 'FORBIDDEN', message: 'No' } },
        });
      });
      await page.locator(`main a[href="/dashboard/campaigns/${id}"]`).click();
      await page.getByRole('heading', { level: 1, name: 'Draft of 2' }).waitFor();
      await page.getByText('+1 (212) 555-0102').waitFor();
      await page.getByLabel('The explanation is loading').waitFor();
      answer();
      const retry = page.getByRole('button', { name: 'Try again' });
      await retry.click();
      await retry.waitFor();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Draft of 2');
    });

    it('can be read by a viewer, who learns why the rest is disabled [dashboard.49]', async () => {
      const id = await draft([{ phone_number: '+12125550101' }]);
      const page = await open(`campaigns/${id}`, 'viewer');
      for (const name of ['Start', 'Cancel campaign', 'Add contacts']) {
        const button = page.getByRole('button', { name, exact: true });
        await button.waitFor();
        expect(await button.getAttribute('aria-description')).toContain('You are viewer here');
        await button.click({ force: true });
      }
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(await world.team.api.data('GET', `/v1/campaigns/${id}`)).toMatchObject({ status: 'draft' });
    });
  });
}
