import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { createApi } from '@parley/testkit/stage';
import type { Page } from 'playwright-core';
import { listOf200 } from './stage/contact-list.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';

const NUMBER = '+15550170001';
const SHOWN_NUMBER = '+1 (555) 017-0001';
const LONG = { timeout: 90_000 };
const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/;

export function newUserSuite(stage: () => DashboardStage): void {
  describe('a new user', () => {
    let hooks: Receiver;
    beforeAll(async () => {
      hooks = await receiver();
    });
    afterAll(() => hooks?.close());

    it('goes from the link of `npm start` to a campaign, its calls, their webhooks and a key, by what the pages show alone [dashboard.26]', async () => {
      hooks.script('/hook', { status: 503, body: 'Not yet' });
      const page = await openFirst(stage());
      await createAssistant(page, `${hooks.url}/hook`);
      await testByText(page);
      await connectNumber(page);
      await stepsAreDone(page);
      await runCampaign(page);
      await playRecording(page);
      await retryWebhook(page, hooks);
      await createAndRevokeKey(page, stage().platform.url);
    });
  });
}

const nav = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const choose = async (page: Page, field: string, option: string) => {
  await page.getByRole('combobox', { name: field, exact: true }).click();
  await page.getByRole('option', { name: option }).first().click();
};

/** The workspace and the link as `npm start` makes them. */
async function openFirst(stage: DashboardStage): Promise<Page> {
  const { workspace_id: id } = await stage.platform.createWorkspace('demo');
  const owner = ['--email', 'owner@demo.local', '--create', 'owner'];
  const { sign_in_url: link } = (await stage.platform.parley(
    'member',
    'link',
    '--workspace',
    id,
    ...owner,
  )) as {
    sign_in_url: string;
  };
  const page = await stage.open(undefined, link.slice(link.indexOf('sign-in/link')));
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  return page;
}

async function createAssistant(page: Page, webhookUrl: string): Promise<void> {
  const steps = page.getByRole('region', { name: 'First steps' });
  await steps.getByRole('link', { name: 'Create an assistant' }).click();
  await button(page, 'Create an assistant').click();
  await page.getByRole('radio', { name: /Appointment/ }).click();
  await page.getByLabel('Name', { exact: true }).fill('Ada');
  await button(page, 'Create').click();
  await page.getByRole('heading', { name: 'Ada', level: 1 }).waitFor();
  await page.getByRole('tab', { name: 'Webhook' }).click();
  await page.getByLabel('URL').fill(webhookUrl);
  await button(page, 'Save').click();
  await page.getByText(/^Saved /).waitFor();
}

async function testByText(page: Page): Promise<void> {
  const pane = page.getByRole('complementary', { name: 'Test' });
  await pane.getByLabel('company').fill('Acme');
  await pane.getByLabel('contact_name').fill('Grace');
  await button(page, 'Start the conversation').click();
  await pane.getByText('Am I speaking to Grace?').waitFor();
  const lines = pane.getByText(/ms to the first words/);
  const before = await lines.count();
  await pane.getByLabel('What you say').fill('Yes, that is me.');
  await button(page, 'Send').click();
  await eventually(async () => expect(await lines.count()).toBeGreaterThan(before));
}

async function connectNumber(page: Page): Promise<void> {
  await nav(page, 'Numbers');
  await button(page, 'Add number').first().click();
  await page.getByRole('menuitem', { name: 'Connect by SIP trunk' }).click();
  const form = page.getByRole('dialog', { name: 'Connect by SIP trunk' });
  await form.getByLabel('Phone number').fill(NUMBER);
  await form.getByLabel('Address of the trunk').fill('sip.example.com');
  await choose(page, 'Places calls', 'Ada');
  await form.getByRole('textbox', { name: 'Pace' }).fill('50');
  await button(page, 'Connect number').click();
  await page.getByRole('heading', { name: SHOWN_NUMBER }).waitFor();
}

/** The completed first steps are marked. */
async function stepsAreDone(page: Page): Promise<void> {
  await nav(page, 'Home');
  const done = page.getByRole('region', { name: 'First steps' }).getByRole('heading', { name: '(done)' });
  await eventually(async () =>
    expect(await done.allInnerTexts()).toEqual([
      expect.stringContaining('Create an assistant'),
      expect.stringContaining('Talk to it'),
      expect.stringContaining('Connect a phone number'),
    ]),
  );
}

async function runCampaign(page: Page): Promise<void> {
  await nav(page, 'Campaigns');
  await page.getByRole('link', { name: 'New campaign' }).first().click();
  // The list of campaigns, which is shown until then, has a field for names as well.
  await page.getByRole('heading', { name: 'New campaign', level: 1 }).waitFor();
  await page.getByLabel('Name', { exact: true }).fill('First reminders');
  await choose(page, 'Assistant', 'Ada');
  await choose(page, 'Number', SHOWN_NUMBER);
  await button(page, 'Next').click();
  const list = listOf200({ name: 'Grace', ending: '0010' });
  await page
    .getByLabel('CSV file of contacts')
    .setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(list) });
  await page.getByText('193 contacts can be called').waitFor();
  const bad = page.getByRole('region', { name: 'Rows that cannot be called' }).locator('tbody tr');
  expect(await bad.count()).toBe(7);
  await button(page, 'Next').click();
  await page.getByRole('heading', { level: 2, name: 'Hours and retries' }).waitFor();
  await button(page, 'Next').click();
  await page.getByText('7 rows left out').waitFor();
  await page.getByRole('radio', { name: /Now/ }).check({ force: true });
  await button(page, 'Create and start').click();
  await page.waitForURL(UUID);
  await page.getByText('193 of 193').first().waitFor(LONG);
  await page.getByText('every contact has its outcome').waitFor(LONG);
}

async function playRecording(page: Page): Promise<void> {
  const grace = page.getByRole('row').filter({ hasText: 'Grace' });
  await grace.getByRole('link', { name: 'Open call' }).click();
  await button(page, 'Play').click();
  const slider = page.getByRole('slider', { name: 'Position in the recording' });
  await eventually(async () => expect(Number(await slider.getAttribute('aria-valuenow'))).toBeGreaterThan(0));
}

async function retryWebhook(page: Page, hooks: Receiver): Promise<void> {
  hooks.script('/hook', { body: 'Thank you' });
  await page.getByRole('tab', { name: 'Webhooks' }).click();
  const started = page.getByRole('region', { name: 'call_started' });
  await started.getByText(/503/).first().waitFor();
  await started.getByRole('button', { name: 'Retry call_started' }).click();
  await page.getByText('call_started was delivered.').waitFor();
}

async function createAndRevokeKey(page: Page, url: string): Promise<void> {
  await nav(page, 'Developers');
  await button(page, 'Create a key').first().click();
  await page.getByRole('dialog', { name: 'Create a key' }).getByLabel('Name').fill('Scheduler');
  await button(page, 'Create the key').click();
  const made = page.getByRole('dialog', { name: 'The key “Scheduler”' });
  const api = createApi(url, (await made.locator('pre').textContent()) ?? '');
  const statusOf = async () => (await api.request('GET', '/v1/campaigns')).status;
  expect(await statusOf()).toBe(200);
  await button(page, 'I have stored it').click();
  await button(page, 'Revoke Scheduler').click();
  await button(page, 'Revoke the key').click();
  await page.getByText('Revoked', { exact: true }).waitFor();
  await eventually(async () => expect(await statusOf()).toBe(401));
}
