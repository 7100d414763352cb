import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { BrowserContext, Page } from 'playwright-core';
import { checkPage } from './stage/check-page.ts';
import { type DashboardStage, INSECURE_HOST } from './stage/dashboard-stage.ts';
import type { Person, Team } from './stage/team.ts';

const TABS = 7;
const EVENTS = '/dashboard/api/events';

/** What depends on the browser around a page: its tabs, its storage, and whether it trusts the connection. */
export function browserSuite(stage: () => DashboardStage): void {
  describe('browser, tabs and drafts', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Globex');
    });
    const addAssistant = (name: string): Promise<{ id: string }> =>
      team.api.data('POST', '/v1/assistant', { agent_name: name, config: {} });
    const storedDrafts = (page: Page): Promise<string[]> =>
      page.evaluate<string[]>("Object.keys(localStorage).filter((key) => key.startsWith('parley:draft:'))");
    const signIn = async (page: Page, { email, password }: Person) => {
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    };
    /** The pages that have opened a stream, in this order. */
    const streamsOf = (context: BrowserContext): Page[] => {
      const pages: Page[] = [];
      context.on('request', (request) => {
        if (request.url().endsWith(EVENTS)) pages.push(request.frame().page());
      });
      return pages;
    };

    it('seven tabs share one stream: all of them load and are up to date, also when its tab is closed [dashboard.27]', async () => {
      const context = (await stage().open(team.people.developer, 'favicon.svg')).context();
      const streams = streamsOf(context);
      const tabs: Page[] = [];
      for (let n = 0; n < TABS; n += 1) {
        const tab = await context.newPage();
        await tab.goto(`${stage().url}assistants`);
        await tab.getByRole('heading', { name: 'Assistants', level: 1 }).waitFor();
        await tab.getByRole('button', { name: 'Create an assistant' }).first().waitFor();
        tabs.push(tab);
      }
      const home = tabs.at(-1);
      await home?.goto(stage().url);
      await home?.getByText('Live', { exact: true }).waitFor();
      await addAssistant('Shown in all tabs');
      for (const tab of tabs.slice(0, -1)) await tab.getByText('Shown in all tabs').waitFor();
      expect(streams).toHaveLength(1);

      await streams[0]?.close();
      await eventually(() => expect(streams).toHaveLength(2));
      await addAssistant('Shown in those that are left');
      for (const tab of tabs.slice(0, -1).filter((one) => !one.isClosed()))
        await tab.getByText('Shown in those that are left').waitFor();
      await home?.getByText('Live', { exact: true }).waitFor();
    });

    it('a stream that was replaced is opened again when the person comes back, and not before [dashboard.27]', async () => {
      const page = await stage().open(team.people.developer, 'favicon.svg');
      const streams = streamsOf(page.context());
      const body = 'retry: 100\n\nid: 1\nevent: end\ndata: {"reason":"replaced"}\n\n';
      await page.route(`**${EVENTS}`, (route) =>
        route.fulfill({ headers: { 'content-type': 'text/event-stream' }, body }),
      );
      await page.clock.install();
      await page.goto(stage().url);
      await page.getByText('Every 10 seconds').waitFor();
      await page.clock.fastForward(600_000);
      await page.clock.fastForward(600_000);
      expect(streams).toHaveLength(1);
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await eventually(() => expect(streams).toHaveLength(2));
    });

    it('pages work without HTTPS: a test conversation, copying, live updates [dashboard.28]', async () => {
      const { id } = await addAssistant('Without HTTPS');
      const page = await stage().open();
      const streams = streamsOf(page.context());
      const url = stage().url.replace('127.0.0.1', INSECURE_HOST);
      await page.goto(`${url}assistants/${id}`);
      await signIn(page, team.people.developer);
      await page.getByRole('heading', { name: 'Without HTTPS', level: 1 }).waitFor();
      const secure = "[isSecureContext, 'clipboard' in navigator, 'locks' in navigator]";
      expect(await page.evaluate(secure)).toEqual([false, false, false]);
      await page.getByRole('button', { name: 'Start the conversation' }).click();
      await page.getByRole('textbox', { name: 'What you say' }).fill('Good morning');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('Good morning').waitFor();
      await page.getByRole('button', { name: 'Actions of Without HTTPS' }).click();
      await page.getByRole('menuitem', { name: 'Copy id' }).click();
      await page.getByText('The id is copied').waitFor();
      const box = page.getByRole('textbox', { name: 'What you say' });
      await box.fill('');
      await box.press('ControlOrMeta+v');
      expect(await box.inputValue()).toBe(id);
      expect(streams).toHaveLength(1);
    });

    it('signing out removes the person’s drafts, and says so; another person never sees them [dashboard.29]', async () => {
      const { id } = await addAssistant('Drafted');
      const page = await stage().open(team.people.developer, `assistants/${id}`);
      await page.getByRole('textbox', { name: 'First message' }).click();
      await page.keyboard.insertText('Words of the developer');
      await page.getByText('Unsaved changes', { exact: true }).waitFor();
      expect(await storedDrafts(page)).toHaveLength(1);

      // A session that has ended keeps them, for the same person only.
      await page.context().clearCookies();
      await page.getByRole('button', { name: 'Save' }).click();
      const ended = page.getByRole('dialog', { name: 'Your session has ended' });
      await ended.getByLabel('E-mail address').fill(team.people.admin.email);
      await ended.getByLabel('Password', { exact: true }).fill(team.people.admin.password);
      await ended.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      await page.goto(`${stage().url}assistants/${id}`);
      await page.getByRole('heading', { name: 'Drafted', level: 1 }).waitFor();
      await page.getByText(/^Saved /).waitFor();
      expect(await page.content()).not.toContain('Words of the developer');
      await page.getByRole('button', { name: /^Account/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await signIn(page, team.people.developer);
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      await page.goto(`${stage().url}assistants/${id}`);
      await page.getByText('Words of the developer').waitFor();

      await page.getByRole('button', { name: /^Account/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      const question = page.getByRole('dialog', { name: 'Sign out and discard your drafts?' });
      await question.waitFor();
      await page.getByRole('menu').waitFor({ state: 'hidden' });
      await checkPage(page, 'sign-out');
      await question.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await storedDrafts(page)).toEqual([]);
    });

    it('who signed in by a link and whose session has ended goes on after the sign-in in another tab [dashboard.21]', async () => {
      const link = async () => {
        const made = (await stage().platform.parley(
          ...['member', 'link', '--workspace', team.workspace.workspace_id],
          ...['--email', team.people.owner.email],
        )) as { sign_in_url: string };
        return made.sign_in_url.slice(made.sign_in_url.indexOf('sign-in/link'));
      };
      const page = await stage().open(undefined, await link());
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      await page.goto(`${stage().url}settings`);
      await page.getByLabel('Name', { exact: true }).fill('Globex Dental');
      await page.context().clearCookies();
      await page.getByRole('button', { name: 'Save' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      await dialog.getByText('one-time link').waitFor();
      expect(await dialog.getByLabel('Password', { exact: true }).count()).toBe(0);
      await checkPage(page, 'session-ended');
      await dialog.getByRole('button', { name: 'I have signed in' }).click();
      await dialog.getByText('not signed in yet').waitFor();
      const other = await page.context().newPage();
      await other.goto(`${stage().url}${await link()}`);
      await other.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      await page.bringToFront();
      await dialog
        .getByRole('button', { name: 'I have signed in' })
        .click({ timeout: 3_000 })
        .catch(() => {});
      await dialog.waitFor({ state: 'hidden' });
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Globex Dental');
      await page.getByRole('button', { name: 'Save' }).first().click();
      await page.getByText('Saved', { exact: true }).waitFor();
    });

    it('a test conversation of 200 entries offers a new one, and keeps what is typed [dashboard.63]', async () => {
      const { id } = await addAssistant('Talkative');
      const page = await stage().open(team.people.developer, `assistants/${id}`);
      const sent: number[] = [];
      await page.route('**/v1/assistant/test-turn/stream', async (route) => {
        const { transcript } = route.request().postDataJSON() as { transcript: unknown[] };
        sent.push(transcript.length);
        const words = {
          role: 'agent',
          content: 'Words',
          latency_ms: 1,
          duration_ms: 1,
          is_interrupted: false,
        };
        const entries = transcript.length === 0 ? Array(199).fill(words) : [words];
        const turn = {
          ...{ test_id: '0b7e3a52-8f4c-4d6e-9a1b-2c3d4e5f6a7b', ended_by: null, unresolved_variables: [] },
          ...{ is_timed_out: false, duration_ms: 1, entries },
        };
        const lines = [...entries.map((entry) => ({ type: 'entry', entry })), { type: 'turn', turn }];
        const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
        await route.fulfill({ contentType: 'application/x-ndjson', body });
      });
      await page.getByRole('button', { name: 'Start the conversation' }).click();
      const box = page.getByRole('textbox', { name: 'What you say' });
      await box.fill('The last line');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('as long as a test can be').waitFor();
      await box.fill('Another line');
      await box.press('Enter');
      expect(sent).toEqual([0, 199]);
      await page.getByRole('button', { name: 'Begin a new conversation' }).click();
      await page.getByText('as long as a test can be').waitFor({ state: 'hidden' });
      expect(await box.inputValue()).toBe('Another line');
      await page.getByRole('button', { name: 'Send' }).click();
      await eventually(() => expect(sent).toEqual([0, 199, 0, 199]));
    });
  });
}
