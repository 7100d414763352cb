import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Page } from 'playwright-core';
import { checkPage } from './stage/check-page.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Person, Team } from './stage/team.ts';

const SESSION = '**/dashboard/api/session';
const EVENTS = '**/dashboard/api/events';
const WORKSPACE = '**/dashboard/api/workspace';

/** What changes while a page is open: the workspace in another tab, the network, and what somebody else saves. */
export function changesSuite(stage: () => DashboardStage): void {
  describe('network, tabs and conflicts', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Harbour Hotel');
    });
    const nameField = (page: Page) => page.getByLabel('Name', { exact: true });
    const save = (page: Page) => page.getByRole('button', { name: 'Save' }).first().click();
    const addAssistant = (name: string): Promise<{ id: string }> =>
      team.api.data('POST', '/v1/assistant', { agent_name: name, config: {} });
    /** As somebody else does in a browser of their own. */
    const changeWorkspace = async (by: Person, data: object) => {
      const { request } = (await stage().open(by, 'favicon.svg')).context();
      const api = `${stage().platform.url}/dashboard/api`;
      const { data: session } = await (await request.get(`${api}/session`)).json();
      const headers = { 'x-csrf-token': session.csrf_token };
      expect((await request.patch(`${api}/workspace`, { data, headers })).status()).toBe(200);
    };

    it('all tabs follow to the workspace that was selected in one, and say so [dashboard.30]', async () => {
      const person = team.people.admin;
      await stage().platform.parley('member', 'prove', '--email', person.email);
      const other = await stage().platform.createWorkspace('Corner Bakery');
      const { invitation_token: token } = (await stage().platform.parley(
        ...['member', 'add', '--workspace', other.workspace_id, '--email', person.email, '--role', 'viewer'],
      )) as { invitation_token: string };
      const joined = await fetch(`${stage().platform.url}/dashboard/api/invitations/accept`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token, password: person.password }),
      });
      expect(joined.status).toBe(201);

      const page = await stage().open(person, 'workspace');
      await page.getByRole('button', { name: /Harbour Hotel/ }).click();
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      const open = async () => {
        const tab = await page.context().newPage();
        await tab.goto(`${stage().url}settings`);
        await nameField(tab).waitFor();
        return tab;
      };
      const [follower, stale] = [await open(), await open()];
      // It learns of nothing: only the platform can refuse what it sends.
      await stale.route(SESSION, (route) => route.abort());
      await nameField(stale).fill('Not the name of Corner Bakery');
      await page.bringToFront();
      await page.getByRole('button', { name: /Workspace/ }).click();
      await page.getByRole('menuitem', { name: /Corner Bakery/ }).click();
      await page.getByRole('button', { name: /Corner Bakery/ }).waitFor();

      await follower.getByText('This browser now works in Corner Bakery').waitFor();
      await follower.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      await follower.getByRole('button', { name: /Corner Bakery viewer/ }).waitFor();
      await save(stale);
      await stale.getByText('Another workspace was selected').first().waitFor();
      const names = await stage().platform.query<{ name: string }>(
        'gateway',
        'SELECT name FROM workspaces WHERE id = $1',
        other.workspace_id,
      );
      expect(names).toEqual([{ name: 'Corner Bakery' }]);
    });

    it('a connection that fails for a moment leaves the page and what is being typed [dashboard.31]', async () => {
      const base = await team.api.data('POST', '/v1/knowledge-base', { name: 'House rules' });
      const page = await stage().open(team.people.owner, `knowledge/${base.id}`);
      const question = page.getByRole('searchbox', { name: 'Search the documents' });
      await question.fill('May I bring a dog?');
      await page.route(`**/v1/knowledge-base/${base.id}`, (route) => route.abort());
      await eventually(
        async () => {
          await team.api.data('POST', '/v1/assistant', { agent_name: 'Changes what is shown' });
          await page.getByText('Reading it again has failed').waitFor({ timeout: 15_000 });
        },
        { timeoutMs: 60_000 },
      );
      expect(await question.inputValue()).toBe('May I bring a dog?');
      await checkPage(page, 'knowledge-base-outdated');
      await page.unroute(`**/v1/knowledge-base/${base.id}`);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('Reading it again has failed').waitFor({ state: 'hidden' });
      expect(await question.inputValue()).toBe('May I bring a dog?');
    });

    it('a campaign that cannot be read again stays, and says so [dashboard.31]', async () => {
      const { id: agentId } = await team.api.data('POST', '/v1/assistant', { agent_name: 'Calls' });
      const number = { phone_number: '+14155550162', termination_uri: 'sip.example.com' };
      await team.api.data('POST', '/v1/phone-number/sip', number);
      const { campaign_id: id } = await team.api.data('POST', '/v1/campaigns', {
        campaign_name: 'Spring',
        agent_id: agentId,
        phone_number: number.phone_number,
        contacts: [{ phone_number: '+12125550107' }],
      });
      const page = await stage().open(team.people.owner, `campaigns/${id}`);
      await page.getByRole('heading', { name: 'Spring', level: 1 }).waitFor();
      await page.route(`**/v1/campaigns/${id}`, (route) => route.abort());
      await team.api.data('POST', `/v1/campaigns/${id}/cancel`);
      await page.getByText('Reading it again has failed').waitFor({ timeout: 30_000 });
      await page.getByRole('heading', { name: 'Spring', level: 1 }).waitFor();
      await page.unroute(`**/v1/campaigns/${id}`);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('Cancelled', { exact: true }).waitFor();
      await page.getByText('Reading it again has failed').waitFor({ state: 'hidden' });
    });

    it('what is typed for a number survives its changes elsewhere; both are put together, or compared [dashboard.61]', async () => {
      const agent = await team.api.data('POST', '/v1/assistant', { agent_name: 'Answers' });
      const number = await team.api.data('POST', '/v1/phone-number/sip', {
        phone_number: '+14155550161',
        termination_uri: 'sip.example.com',
      });
      const stored = () => team.api.data('GET', `/v1/phone-number/${number.id}`);
      const change = (changes: object) => team.api.data('PUT', `/v1/phone-number/${number.id}`, changes);
      const page = await stage().open(team.people.developer, `numbers/${number.id}`);
      const pace = page.getByLabel('Calls per second');
      await pace.fill('7');
      await change({ inbound_agent_id: agent.id });
      await eventually(async () =>
        expect(await page.getByRole('combobox', { name: 'Answers calls' }).inputValue()).toBe('Answers'),
      );
      expect(await pace.inputValue()).toBe('7');
      await save(page);
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(await stored()).toMatchObject({ max_cps: 7, inbound_agent_id: agent.id });

      await pace.fill('8');
      await change({ max_cps: 3 });
      const dialog = page.getByRole('dialog', { name: 'Changed by somebody else' });
      await dialog.getByRole('cell', { name: '3', exact: true }).waitFor();
      await checkPage(page, 'changed-elsewhere');
      await dialog.getByRole('button', { name: 'Keep mine' }).click();
      await dialog.waitFor({ state: 'hidden' });
      expect([await pace.inputValue(), (await stored()).max_cps]).toEqual(['8', 3]);
      await page.getByRole('link', { name: 'Numbers' }).first().click();
      await page
        .getByRole('dialog', { name: 'You have unsaved changes' })
        .getByRole('button', { name: 'Stay' })
        .click();
      await save(page);
      await eventually(async () => expect((await stored()).max_cps).toBe(8));
    });

    it('settings: only what was changed is saved, another version is compared before, and typing goes on while saving [dashboard.61]', async () => {
      const { owner } = team.people;
      const page = await stage().open(undefined, 'sign-in');
      // Without live updates, only the question before saving can find what somebody else has saved.
      await page.route(EVENTS, (route) => route.abort());
      await page.clock.install();
      await page.getByLabel('E-mail address').fill(owner.email);
      await page.getByLabel('Password', { exact: true }).fill(owner.password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      await page.goto(`${stage().url}settings`);
      await nameField(page).fill('Mine');
      await changeWorkspace(owner, { name: 'Theirs', time_zone: 'Asia/Tokyo' });
      await save(page);
      const dialog = page.getByRole('dialog', { name: 'Changed by somebody else' });
      await dialog.getByRole('cell', { name: 'Theirs', exact: true }).waitFor();
      const name = async () =>
        (
          await stage().platform.query<{ name: string; time_zone: string }>(
            'gateway',
            'SELECT name, time_zone FROM workspaces WHERE id = $1',
            team.workspace.workspace_id,
          )
        )[0];
      expect(await name()).toEqual({ name: 'Theirs', time_zone: 'Asia/Tokyo' });
      await dialog.getByRole('button', { name: 'Keep mine' }).click();
      await dialog.waitFor({ state: 'hidden' });

      await page.route(WORKSPACE, async (route) => {
        if (route.request().method() !== 'PATCH') return route.continue();
        expect(route.request().postDataJSON()).toEqual({ name: 'Mine' });
        const response = await route.fetch();
        await nameField(page).fill('Mine, and more');
        await route.fulfill({ response });
      });
      await save(page);
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(await nameField(page).inputValue()).toBe('Mine, and more');
      expect(await name()).toEqual({ name: 'Mine', time_zone: 'Asia/Tokyo' });
    });

    it('a call that is joined after its test was closed is ended [dashboard.63]', async () => {
      const { id } = await addAssistant('Left early');
      const page = await stage().open(team.people.developer, `assistants/${id}`);
      await page.route('**/v1/voice', async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        const data = body.data.map((voice: object) => ({ ...voice, available: true }));
        await route.fulfill({ response, json: { ...body, data } });
      });
      await page.reload();
      const pane = page.getByRole('complementary', { name: 'Test' });
      const left: string[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/widget/session/leave')) left.push(request.method());
      });
      let join = (): void => {};
      const joining = new Promise<void>((resolve) => {
        void page.route('**/widget/session', async (route) => {
          resolve();
          await new Promise<void>((go) => {
            join = go;
          });
          await route.continue();
        });
      });
      await pane.getByText('Voice', { exact: true }).click();
      await pane.getByRole('button', { name: 'Start talking' }).click();
      await joining;
      await pane.getByText('Text', { exact: true }).click();
      await pane.getByRole('button', { name: 'Start the conversation' }).waitFor();
      join();
      await eventually(() => expect(left).toEqual(['POST']));
    });

    it('an assistant that was deleted elsewhere is said to be, and its draft stays [dashboard.60]', async () => {
      const { id } = await addAssistant('Deleted elsewhere');
      const page = await stage().open(team.people.developer, `assistants/${id}`);
      await page.getByRole('textbox', { name: 'First message' }).click();
      await page.keyboard.insertText('Words that are still here');
      await page.getByText('Unsaved changes', { exact: true }).waitFor();
      await team.api.request('DELETE', `/v1/assistant/${id}`);
      await page.getByRole('alert').filter({ hasText: 'This assistant was deleted' }).waitFor();
      await page.getByText('Words that are still here').waitFor();
    });

    it('a tool that two people change: other fields are put together, the same one is compared [dashboard.61]', async () => {
      const agent = await addAssistant('With a shared tool');
      const tool = await team.api.data('POST', '/v1/tool/custom', {
        agent_id: agent.id,
        tool_name: 'shared_tool',
        description: 'Of both',
        endpoint_url: 'https://example.com/shared',
        http_method: 'POST',
      });
      const stored = () => team.api.data('GET', `/v1/tool/${tool.id}`);
      const change = (changes: object) => team.api.data('PUT', `/v1/tool/custom/${tool.id}`, changes);
      const page = await stage().open(team.people.developer, 'tools');
      const edited = page.getByRole('dialog', { name: 'shared_tool' });
      const open = () => page.getByRole('button', { name: 'shared_tool' }).first().click();
      await open();
      await edited.getByLabel('Timeout').fill('60');
      await change({ description: 'Changed elsewhere' });
      await edited.getByRole('button', { name: 'Save tool' }).click();
      await edited.waitFor({ state: 'hidden' });
      expect(await stored()).toMatchObject({ timeout_seconds: 60, description: 'Changed elsewhere' });

      await open();
      await edited.getByLabel('When to use it').fill('Mine');
      await change({ description: 'Theirs', timeout_seconds: 70 });
      await edited.getByRole('button', { name: 'Save tool' }).click();
      await edited.getByText('You both changed when to use it').waitFor();
      expect(await stored()).toMatchObject({ timeout_seconds: 70, description: 'Theirs' });
      await edited.getByRole('button', { name: 'Save tool' }).click();
      await edited.waitFor({ state: 'hidden' });
      expect(await stored()).toMatchObject({ timeout_seconds: 70, description: 'Mine' });
    });
  });
}
