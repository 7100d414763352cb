import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Page } from 'playwright-core';
import { checkPage } from './stage/check-page.ts';
import { type Conversations, conversations } from './stage/conversations.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import { topOf } from './stage/page-layout.ts';
import type { Team } from './stage/team.ts';

const FROM = '+15550143001';
const BUSY = '+15550143002';
const TALKS_ON = '+15550143007';

/** Pages stay as they are while a person reads and types: nothing jumps, gets outdated in silence, or is lost. */
export function steadySuite(stage: () => DashboardStage): void {
  describe('steady pages', () => {
    let team: Team;
    let world: Conversations | undefined;
    beforeAll(async () => {
      team = await stage().createTeam('Steady');
    });
    afterAll(() => world?.hooks.close());

    const addAssistant = (name: string, config: object = {}): Promise<{ id: string }> =>
      team.api.data('POST', '/v1/assistant', { agent_name: name, config });
    const find = async (page: Page, typed: string, name: RegExp) => {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox', { name: 'Find or do' }).fill(typed);
      await page.getByRole('option', { name }).click();
    };

    it('two notes about outdated content are both seen [dashboard.31]', async () => {
      world ??= await conversations(team, FROM);
      const id = await world.finishedCall(BUSY);
      const page = await stage().open(team.people.owner, `calls/${id}?tab=webhooks`);
      await page.getByText('Every event with each attempt').waitFor();
      await page.route(`**/v2/call/${id}*/**`, (route) => route.abort());
      await page.route(`**/v2/call/${id}`, (route) => route.abort());
      const notes = page.getByRole('status').filter({ hasText: 'Reading it again has failed' });
      await eventually(
        async () => {
          // As when the person comes back to the tab; what was read just now is not read again.
          await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
          expect(await notes.count()).toBe(2);
        },
        { timeoutMs: 60_000 },
      );
      const tops = [await topOf(notes.first()), await topOf(notes.last())].sort((a, b) => a - b);
      const height = (await notes.first().boundingBox())?.height ?? 0;
      expect((tops[1] ?? 0) - (tops[0] ?? 0)).toBeGreaterThanOrEqual(height);
    });

    it('a call that begins or ends moves no row of the list [dashboard.40]', async () => {
      world ??= await conversations(team, FROM);
      await world.finishedCall(BUSY);
      const page = await stage().open(team.people.owner, 'calls');
      const row = page.locator('tr[data-link]').first();
      await row.waitFor();
      const top = await topOf(row);
      const id = await world.call(TALKS_ON);
      const live = page.getByRole('region', { name: 'Live calls' }).getByRole('link');
      await live.first().waitFor();
      expect(await topOf(row)).toBe(top);
      await checkPage(page, 'calls-live');
      // Unless it is over already.
      await team.api.request('POST', `/v2/call/${id}/stop`);
      await live.first().waitFor({ state: 'detached' });
      expect(await topOf(row)).toBe(top);
    });

    it('a list of many pages says that it has changed, and shows the newest on request [dashboard.9]', async () => {
      const numbers = Array.from({ length: 450 }, (_, i) => `+1212555${1_000 + i}`);
      await team.api.data('POST', '/v1/do-not-call', { phone_numbers: numbers });
      const page = await stage().open(team.people.owner, 'settings?tab=do-not-call');
      await eventually(async () => {
        await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
        expect(await page.getByText('450 numbers', { exact: true }).count()).toBe(1);
      });
      const read: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/v1/do-not-call')) read.push(request.url());
      });
      await team.api.data('POST', '/v1/do-not-call', { phone_numbers: ['+12125559999'] });
      const changed = page.getByRole('button', { name: 'Changed – show the newest' });
      await changed.waitFor();
      expect(read).toEqual([]);
      await changed.click();
      await page.getByText('of 451 numbers').waitFor();
      await page.getByText('+1 (212) 555-9999').waitFor();
      expect(await changed.count()).toBe(0);
    });

    it('Ctrl+K finds assistants by name, and opens what it offers to create [dashboard.25]', async () => {
      await addAssistant('Night porter');
      const page = await stage().open(team.people.owner);
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      await find(page, 'night por', /^Night porter/);
      await page.getByRole('heading', { name: 'Night porter', level: 1 }).waitFor();
      await find(page, 'create an api', /^Create an API key/);
      await page.getByRole('dialog', { name: 'Create a key' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await find(page, 'invite', /^Invite a member/);
      await page.getByRole('dialog', { name: 'Invite a person' }).waitFor();
    });

    it('a test keeps its conversation while another way to talk is looked at, and the line that is typed [dashboard.33] [dashboard.63]', async () => {
      const { id } = await addAssistant('Patient', { firstMessage: 'Hello, {{caller}}.' });
      const page = await stage().open(team.people.developer, 'favicon.svg');
      await page.route('**/v1/voice', async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        const data = body.data.map((voice: object) => ({ ...voice, available: true }));
        await route.fulfill({ response, json: { ...body, data } });
      });
      await page.goto(`${stage().url}assistants/${id}`);
      const pane = page.getByRole('complementary', { name: 'Test' });
      await pane.getByLabel('caller').fill('Grace');
      await pane.getByRole('button', { name: 'Start the conversation' }).click();
      await pane.getByText('Hello, Grace.').waitFor();
      // The conversation needs the room.
      await pane.getByLabel('caller').waitFor({ state: 'hidden' });
      await pane.getByLabel('What you say').fill('Half a line');
      await pane.getByText('Voice', { exact: true }).click();
      await pane.getByRole('button', { name: 'Start talking' }).waitFor();
      await pane.getByText('Text', { exact: true }).click();
      await pane.getByText('Hello, Grace.').waitFor();
      await page.reload();
      await pane.getByRole('button', { name: 'Start the conversation' }).click();
      expect(await pane.getByLabel('What you say').inputValue()).toBe('Half a line');
    });

    it('arguments that a tool is tried with stay, and go with the tool [dashboard.33] [dashboard.73]', async () => {
      const { id } = await addAssistant('Tries');
      const { id: toolId } = await team.api.data('POST', '/v1/tool/custom', {
        ...{ agent_id: id, tool_name: 'find_day', description: 'Finds a day', http_method: 'POST' },
        ...{ endpoint_url: 'https://example.com/day' },
        parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
      });
      const page = await stage().open(team.people.developer, `assistants/${id}?tab=tools`);
      const open = async () => {
        await page.getByRole('button', { name: 'find_day', exact: true }).click();
        await page.getByRole('tab', { name: 'Try it' }).click();
      };
      const day = page.getByRole('dialog').getByRole('textbox', { name: /^day/ });
      await open();
      await day.fill('Friday the 13th');
      await page.reload();
      await open();
      expect(await day.inputValue()).toBe('Friday the 13th');
      const stored = () =>
        page.evaluate(`Object.keys(localStorage).filter((key) => key.includes('${toolId}'))`);
      expect(await stored()).toHaveLength(1);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Actions of find_day' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete tool' }).click();
      await page.getByText('find_day is deleted').waitFor();
      expect(await stored()).toEqual([]);
    });

    it('a viewer cannot switch or add tools, and learns why [dashboard.65]', async () => {
      const { id } = await addAssistant('Read only');
      const page = await stage().open(team.people.viewer, `assistants/${id}?tab=tools`);
      const add = page.getByRole('button', { name: 'Add tool' });
      await add.waitFor();
      expect(await add.getAttribute('aria-description')).toContain('You are viewer here');
      expect(await page.getByRole('switch', { name: 'End the call' }).isDisabled()).toBe(true);
    });

    it('what could not be read or done is said, with the id of the request', async () => {
      const { id } = await addAssistant('Unlucky', { firstMessage: 'Hello.' });
      const page = await stage().open(team.people.developer, 'favicon.svg');
      const refuse = (message: string) => ({
        status: 422,
        headers: { 'x-request-id': 'request-of-this-test' },
        json: { success: false, error: { code: 'VALIDATION_FAILED', message } },
      });
      for (const path of ['voice', 'model', 'transcriber'])
        await page.route(`**/v1/${path}`, (route) => route.fulfill(refuse('No')));
      await page.goto(`${stage().url}assistants/${id}?tab=voice`);
      for (const what of ['voices', 'models', 'providers of speech recognition'])
        await page.getByText(`The ${what} could not be read`).waitFor();
      await page.route('**/v1/assistant', (route) => route.fulfill(refuse('There are too many')));
      await page.getByRole('button', { name: 'Actions of Unlucky' }).click();
      await page.getByRole('menuitem', { name: 'Duplicate' }).click();
      const toast = page.getByRole('alert').filter({ hasText: 'Unlucky could not be duplicated' });
      await toast.getByText('Request request-of-this-test').waitFor();

      await page.route(`**/v1/assistant/${id}`, (route) => route.fulfill(refuse('No')));
      await page.goto(`${stage().url}campaigns/new`);
      await page.getByRole('combobox', { name: 'Assistant' }).click();
      await page.getByRole('option', { name: 'Unlucky' }).click();
      const preview = page.getByRole('region', { name: 'Preview of the first message' });
      await preview.getByText('The assistant could not be loaded').waitFor();
    });

    it('a failed read of failed events is said where there is no endpoint either [dashboard.74]', async () => {
      const { people } = await stage().createTeam('Steady webhooks');
      const page = await stage().open(people.developer, 'favicon.svg');
      await page.route('**/v1/webhook-event/failed*', (route) =>
        route.fulfill({ status: 422, json: { success: false, error: { code: 'X', message: 'Not now' } } }),
      );
      await page.goto(`${stage().url}webhooks`);
      await page.getByRole('region', { name: 'Failed deliveries' }).getByText('Not now').waitFor();
    });
  });
}
