import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Page } from 'playwright-core';
import { checkPage } from './stage/check-page.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Team } from './stage/team.ts';

const NUMBER = '+15550280001';
/** More than a list of assistants shows at once. */
const ASSISTANTS = 60;
const CONTACTS = 500;

/** One of many: tools, assistants, contacts and numbers. */
export function findingSuite(stage: () => DashboardStage): void {
  describe('in a large workspace', () => {
    let team: Team;
    let firstAgent = '';
    let numberId = '';
    let campaignId = '';
    beforeAll(async () => {
      team = await stage().createTeam('Large');
      const { api } = team;
      for (let n = 0; n < ASSISTANTS; n += 1) {
        const { id } = await api.data('POST', '/v1/assistant', { agent_name: `Agent ${n}` });
        firstAgent ||= id;
      }
      await api.data('POST', '/v1/tool/custom', {
        agent_id: firstAgent,
        tool_name: 'find_doctor',
        endpoint_url: 'https://clinic.example/find',
        http_method: 'POST',
      });
      numberId = (
        await api.data('POST', '/v1/phone-number/sip', {
          phone_number: NUMBER,
          termination_uri: 'sip.example.com',
          outbound_agent_id: firstAgent,
        })
      ).id;
      const contacts = Array.from({ length: CONTACTS }, (_, n) => ({
        phone_number: `+1212555${String(n).padStart(4, '0')}`,
        contact_name: n === 321 ? 'Zoë Müller' : `Person ${n}`,
      }));
      const campaign = { campaign_name: 'Many', agent_id: firstAgent, phone_number: NUMBER, contacts };
      campaignId = (await api.data('POST', '/v1/campaigns', campaign)).campaign_id;
    });

    it('the page of tools is one request, however many assistants there are, and searches [dashboard.69]', async () => {
      const page = await stage().open(team.people.developer, 'favicon.svg');
      const asked = requestsOf(page);
      await page.goto(`${stage().url}tools`);
      await page.getByRole('button', { name: 'find_doctor' }).waitFor();
      await page.getByText(`${ASSISTANTS + 1} tools`).waitFor();
      expect(asked.filter((path) => /\/v1\/(tool|assistant)/.test(path))).toEqual(['/v1/tool']);
      await checkPage(page, 'tools');

      const search = page.getByRole('searchbox', { name: 'Search tools' });
      await search.fill('CLINIC.example');
      await page.getByText('1 tool', { exact: true }).waitFor();
      await search.fill('agent 42');
      await page.getByRole('link', { name: 'Agent 42' }).waitFor();
      await page.getByText('1 tool', { exact: true }).waitFor();
      await search.fill('nothing');
      await page.getByText('No tool matches').waitFor();
    });

    it('a new tool is for an assistant that is searched, and is in the list at once [dashboard.69]', async () => {
      const page = await stage().open(team.people.developer, 'tools');
      await page.getByRole('button', { name: 'New tool' }).click();
      await page.getByRole('combobox', { name: 'Assistant of the new tool' }).fill('Agent 7');
      await page.getByRole('option', { name: 'Agent 7', exact: true }).click();
      const drawer = page.getByRole('dialog', { name: 'New tool' });
      await drawer.getByLabel('Name', { exact: true }).fill('book_table');
      await drawer.getByLabel('URL').fill('https://tables.example/book');
      await drawer.locator('button[type=submit]').click();
      await page.getByRole('button', { name: 'book_table' }).waitFor();
    });

    it('an assistant that is not among the first of the list is named and found; an error is shown [dashboard.68]', async () => {
      const page = await stage().open(team.people.developer, `numbers/${numberId}`);
      const places = page.getByRole('combobox', { name: 'Places calls' });
      const answers = page.getByRole('combobox', { name: 'Answers calls' });
      await eventually(async () => expect(await places.inputValue()).toBe('Agent 0'));
      expect(await answers.inputValue()).toBe('Nobody: calls are not answered');
      await answers.fill('agent 1');
      await page.getByRole('option', { name: 'Agent 1', exact: true }).click();
      expect(await answers.inputValue()).toBe('Agent 1');
      await places.click();
      await page.getByRole('option', { name: 'Agent 59', exact: true }).waitFor();
      await page.getByRole('option', { name: 'Only those that a call names' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await eventually(async () => {
        const number = await team.api.data('GET', `/v1/phone-number/${numberId}`);
        expect([number.inbound_agent_name, number.outbound_agent_name]).toEqual(['Agent 1', null]);
      });
      await page.route('**/v1/assistant/list', (route) => route.fulfill({ status: 500, body: '{}' }));
      await page.goto(`${stage().url}numbers/${numberId}`);
      await eventually(async () => expect(await answers.getAttribute('aria-invalid')).toBe('true'), {
        timeoutMs: 30_000,
      });
    });

    it('a campaign begins with an assistant that is not among the first, also after a reload; a deleted one is none [dashboard.69] [dashboard.50]', async () => {
      const page = await stage().open(team.people.developer, 'campaigns/new');
      const assistant = page.getByRole('combobox', { name: 'Assistant' });
      await page.getByLabel('Name').fill('Of a late one');
      await assistant.fill('agent 2');
      await page.getByRole('option', { name: 'Agent 2', exact: true }).click();
      await page.reload();
      await eventually(async () => expect(await assistant.inputValue()).toBe('Agent 2'));
      const { body } = await team.api.request('POST', '/v1/assistant/list', { search: 'Agent 2', size: 50 });
      const { id } = body.data.find((agent: { agent_name: string }) => agent.agent_name === 'Agent 2');
      await team.api.request('DELETE', `/v1/assistant/${id}`);
      await page.reload();
      await eventually(async () => expect(await assistant.inputValue()).toBe(''));
      await page.getByText('Choose an assistant to see what it says first.').waitFor();
      await page.getByRole('button', { name: 'Next', exact: true }).click();
      await page.getByText('Choose who calls').waitFor();
    });

    it('one contact is found by a part of the number or of the name, and the search is in the URL [dashboard.71]', async () => {
      const page = await stage().open(team.people.viewer, `campaigns/${campaignId}`);
      const search = page.getByRole('searchbox', { name: 'Search by number or name' });
      await search.pressSequentially('müller');
      await page.getByText('1 contact', { exact: true }).waitFor();
      await page.getByText('Zoë Müller').waitFor();
      await search.fill('+1 (212) 555-0321');
      await page.getByText('1 contact', { exact: true }).waitFor();
      await page.getByText('Zoë Müller').waitFor();
      // The former search has found the same contact.
      await page.waitForURL((url) => url.searchParams.get('search')?.includes('555-0321') ?? false);
      await checkPage(page, 'campaign-contacts-found');
      await page.reload();
      await page.getByText('1 contact', { exact: true }).waitFor();
      await search.fill('555 01');
      await page.getByText('100 contacts', { exact: true }).waitFor();
      await search.fill('nobody');
      await page.getByText('No contact matches').waitFor();
    });

    it('a number of the do-not-call list is found, and those that are added meanwhile appear by themselves [dashboard.71] [dashboard.6]', async () => {
      await team.api.data('POST', '/v1/do-not-call', { phone_numbers: ['+4930123456', '+14155550123'] });
      const page = await stage().open(team.people.viewer, 'settings?tab=do-not-call');
      await page.getByText('2 numbers', { exact: true }).waitFor();
      const search = page.getByRole('searchbox', { name: 'Search numbers' });
      await search.fill('030 12');
      await page.getByText('1 number', { exact: true }).waitFor();
      await checkPage(page, 'settings-do-not-call-found');
      await team.api.data('POST', '/v1/do-not-call', { phone_numbers: ['+4930129999'] });
      await page.getByText('2 numbers', { exact: true }).waitFor({ timeout: 15_000 });
      await search.fill('999999');
      await page.getByText('No number on the list matches').waitFor();
    });
  });

  describe('the signing secret', () => {
    it('is rotated after a question, shown once, and the page says until when the former one signs [dashboard.70]', async () => {
      const team = await stage().createTeam('Secret');
      const page = await stage().open(team.people.admin, 'webhooks');
      const rotate = async (): Promise<string> => {
        await page.getByRole('button', { name: 'Rotate the secret' }).click();
        const question = page.getByRole('dialog', { name: 'Rotate the signing secret?' });
        await question.getByText(/signs along for 24 hours/).waitFor();
        await question.getByRole('button', { name: 'Rotate the secret' }).click();
        const made = page.getByRole('dialog', { name: 'The new signing secret' });
        const secret = (await made.locator('pre').textContent()) ?? '';
        await page.keyboard.press('Escape');
        await made.getByText('it is not shown again').waitFor();
        if (secret === '') throw new Error('no secret is shown');
        return secret;
      };
      const done = page.getByRole('button', { name: 'Done' });
      const first = await rotate();
      expect(first).toMatch(/^whsec_/);
      await checkPage(page, 'webhook-secret-new');
      await done.click();
      expect(await page.content()).not.toContain(first);
      await page
        .getByText(/The secret of the workspace was rotated: the former one signs too, until/)
        .waitFor();
      await checkPage(page, 'webhook-secret-rotated');

      await page.getByRole('button', { name: 'Rotate the secret' }).click();
      await page.getByText('The last rotation is not over').waitFor();
      await checkPage(page, 'webhook-secret-again');
      await page.getByRole('button', { name: 'Cancel' }).click();
      expect(await rotate()).not.toBe(first);
      await done.click();
      const log = await team.api.request('GET', '/v1/audit-log?action=webhook_secret');
      expect(log.body.data).toHaveLength(2);
    });
  });
}

/** The paths that the page asks for from now on. */
function requestsOf(page: Page): string[] {
  const paths: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'fetch') paths.push(new URL(request.url()).pathname);
  });
  return paths;
}
