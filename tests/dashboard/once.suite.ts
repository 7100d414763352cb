import { beforeAll, describe, expect, it } from '@jest/globals';
import { realSleep } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import type { Locator, Page } from 'playwright-core';
import { checkPage } from './stage/check-page.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import { holdChanges } from './stage/hold-changes.ts';
import type { Team } from './stage/team.ts';

const SENT_BEFORE = 'This is being sent. What you type meanwhile is kept.';

/** What a person creates is created once, and what is shown once is not lost. */
export function onceSuite(stage: () => DashboardStage): void {
  describe('what is created', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Once');
    });
    const home = (page: Page) => page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    const goTo = async (page: Page, name: string) => {
      await page.getByRole('link', { name, exact: true }).first().click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
    };
    /** The paths of what the page sends, other than reads. */
    const changesOf = (page: Page, path: string): string[] => {
      const sent: string[] = [];
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (request.method() === 'POST' && pathname.endsWith(path)) sent.push(pathname);
      });
      return sent;
    };
    const dialogOf = (page: Page, name: string | RegExp): Locator => page.getByRole('dialog', { name });
    const openKeyForm = async (page: Page) => {
      await page.getByRole('button', { name: 'Create a key' }).first().click();
      await dialogOf(page, 'Create a key').waitFor();
    };
    const nameOf = (dialog: Locator) => dialog.getByLabel('Name', { exact: true });

    it('is sent once, also by a form that was left and opened again meanwhile, which shows that it is being sent [dashboard.35]', async () => {
      const page = await stage().open(team.people.owner);
      await goTo(page, 'Knowledge');
      const dialog = dialogOf(page, 'New knowledge base');
      const open = async () => {
        await page
          .getByRole('button', { name: /knowledge base/i })
          .first()
          .click();
        await dialog.waitFor();
      };
      const sent = changesOf(page, '/v1/knowledge-base');
      await open();
      await nameOf(dialog).fill('Sent once');
      const release = await holdChanges(page);
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.goBack();
      await home(page);
      await page.goForward();
      await page.getByRole('heading', { name: 'Knowledge', level: 1 }).waitFor();
      await open();
      await eventually(async () => expect(await nameOf(dialog).inputValue()).toBe('Sent once'));
      await nameOf(dialog).press('Enter');
      await page.getByText(SENT_BEFORE).waitFor();
      await checkPage(page, 'sent-before');
      release();
      await page.getByRole('heading', { name: 'Sent once', level: 1 }).waitFor();
      expect(sent).toHaveLength(1);
      expect((await team.api.request('GET', '/v1/knowledge-base?search=Sent%20once')).body.data).toHaveLength(
        1,
      );
    });

    it('is created once, though its first response was lost and the page was loaded again in between [dashboard.35]', async () => {
      const page = await stage().open(team.people.owner, 'assistants');
      const dialog = dialogOf(page, 'New assistant');
      const open = async () => {
        await page
          .getByRole('button', { name: /assistant/i })
          .first()
          .click();
        await dialog.waitFor();
      };
      await open();
      await nameOf(dialog).fill('Lost answer');
      await page.route('**/v1/assistant', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        await route.fetch();
        return route.abort();
      });
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.getByRole('alert').waitFor();
      await dialog.getByText('It may have been accepted all the same.').waitFor();
      await page.unroute('**/v1/assistant');
      await page.reload();
      await open();
      await eventually(async () => expect(await nameOf(dialog).inputValue()).toBe('Lost answer'));
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other
        .getByRole('button', { name: /assistant/i })
        .first()
        .click();
      const inOther = nameOf(dialogOf(other, 'New assistant'));
      await eventually(async () => expect(await inOther.inputValue()).toBe('Lost answer'));
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Lost answer', level: 1 }).waitFor();
      await page.getByRole('alert').filter({ hasText: 'Sent before' }).waitFor();
      // What one tab has sent, another one doesn't offer to send again.
      await eventually(async () => expect(await inOther.inputValue()).toBe(''));
      const found = await team.api.request('POST', '/v1/assistant/list', { search: 'Lost answer' });
      expect(found.body.data).toHaveLength(1);
    });

    it('and fails after its form was left says so, and the form has what was typed [dashboard.35] [dashboard.33]', async () => {
      const page = await stage().open(team.people.owner);
      await goTo(page, 'Knowledge');
      await page
        .getByRole('button', { name: /knowledge base/i })
        .first()
        .click();
      const dialog = dialogOf(page, 'New knowledge base');
      await nameOf(dialog).fill('Refused');
      let release = (): void => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route('**/v1/knowledge-base', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        await released;
        return route.fulfill({
          status: 500,
          json: { error: { code: 'INTERNAL_ERROR', message: 'Not now' } },
        });
      });
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.goBack();
      await home(page);
      release();
      const failure = page.getByRole('alert').filter({ hasText: 'Not now' });
      await failure.waitFor();
      expect(await failure.textContent()).toContain('Knowledge base “Refused”: Something went wrong');
      await goTo(page, 'Knowledge');
      await page
        .getByRole('button', { name: /knowledge base/i })
        .first()
        .click();
      await eventually(async () => expect(await nameOf(dialog).inputValue()).toBe('Refused'));
    });

    it.each([
      ['key', 'Developers', 'Create a key', 'Create the key', 'I have stored it'],
      ['link', 'Settings', 'Invite', 'Invite', 'Done'],
    ])(
      'and shown once, a %s, is not lost by going back without a question [dashboard.36]',
      async (what, area, opener, submit, done) => {
        const page = await stage().open(team.people.owner);
        await goTo(page, area);
        if (area === 'Settings') await page.getByRole('tab', { name: 'Members' }).click();
        await page.getByRole('button', { name: opener }).first().click();
        const form = page.getByRole('dialog');
        const field = what === 'key' ? nameOf(form) : form.getByLabel('E-mail address');
        await field.fill(what === 'key' ? 'Guarded' : 'guarded@example.com');
        const release = await holdChanges(page);
        await form.getByRole('button', { name: submit }).click();
        const question = dialogOf(page, `Leave without the ${what}?`);
        // While it is being made, too.
        await page.goBack();
        await question.waitFor();
        await page.keyboard.press('Escape');
        await question.waitFor({ state: 'hidden' });
        release();
        const stored = page.getByRole('button', { name: done });
        await stored.waitFor();
        // A key that is pressed twice.
        await page.keyboard.press('Enter');
        await realSleep(300);
        expect(await stored.isVisible()).toBe(true);
        const shown = await page.getByRole('region', { name: what, exact: true }).textContent();
        await page.goBack();
        await question.waitFor();
        if (what === 'key') await checkPage(page, 'leave-shown-once');
        expect(await page.evaluate('document.activeElement?.textContent')).toBe('Stay');
        await page.keyboard.press('Enter');
        await question.waitFor({ state: 'hidden' });
        expect(await page.getByRole('region', { name: what, exact: true }).textContent()).toBe(shown);
        await page.keyboard.press('Escape');
        expect(await stored.isVisible()).toBe(true);
        await page.goBack();
        await question.getByRole('button', { name: 'Leave' }).click();
        await stored.waitFor({ state: 'hidden' });
        await page.goForward();
        await page.getByRole('heading', { name: area, level: 1 }).waitFor();
        expect(await stored.count()).toBe(0);
      },
    );

    it('is one secret, though the response that showed it was lost and it is rotated again [dashboard.35]', async () => {
      const page = await stage().open(team.people.owner, 'webhooks');
      const made: string[] = [];
      let isLost = true;
      await page.route('**/api/workspace/webhook-secret', async (route) => {
        const response = await route.fetch();
        made.push((await response.json()).data.webhook_secret);
        return isLost ? route.abort() : route.fulfill({ response });
      });
      await page
        .getByRole('button', { name: /rotate/i })
        .first()
        .click();
      const rotate = page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' });
      await rotate.click();
      await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'No connection' }).waitFor();
      isLost = false;
      await rotate.click();
      const shown = await page.getByRole('region', { name: 'secret', exact: true }).textContent();
      expect(new Set(made)).toEqual(new Set([shown]));
      await page.getByRole('button', { name: 'Done' }).click();
    });

    it('and shown once is shown by its form that was left and opened again meanwhile [dashboard.36]', async () => {
      const page = await stage().open(team.people.owner);
      await goTo(page, 'Developers');
      const sent = changesOf(page, '/dashboard/api/keys');
      await openKeyForm(page);
      await nameOf(page.getByRole('dialog')).fill('Left and back');
      const release = await holdChanges(page);
      await page.getByRole('button', { name: 'Create the key' }).click();
      await page.goBack();
      await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
      await home(page);
      await page.goForward();
      await openKeyForm(page);
      await page.getByText(SENT_BEFORE).waitFor();
      release();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByRole('button', { name: 'Settings of Left and back' }).waitFor();
      expect(sent).toHaveLength(1);
      await openKeyForm(page);
      expect(await nameOf(page.getByRole('dialog')).inputValue()).toBe('');
    });

    it('a key that newer ones have moved to a page of the list that is not loaded is up to date while it is edited [dashboard.61]', async () => {
      const page = await stage().open(team.people.owner, 'developers');
      const others = await stage().open(team.people.admin, 'favicon.svg');
      const ask = asOther(others);
      const { id } = await ask('', { name: 'Oldest', type: 'private' });
      await page.getByRole('button', { name: 'Settings of Oldest' }).click();
      const dialog = dialogOf(page, /Oldest/);
      await nameOf(dialog).fill('Typed');
      for (let i = 0; i < 50; i += 1) await ask('', { name: `Newer ${i}`, type: 'private' });
      await page.getByText('Newer 49').first().waitFor();
      await eventually(async () =>
        expect(
          await page.getByRole('button', { name: 'Settings of Oldest', includeHidden: true }).count(),
        ).toBe(0),
      );
      await ask(`/${id}`, { read_only: true }, 'PATCH');
      await eventually(
        async () => expect(await dialog.getByRole('switch', { name: /read/i }).isChecked()).toBe(true),
        { timeoutMs: 20_000 },
      );
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'hidden' });
      const stored = () => ask(`/${id}`, undefined, 'GET');
      expect(await stored()).toMatchObject({ name: 'Typed', read_only: true });
    });

    it('a key on a page of the list that is not loaded says while it is edited that it was revoked [dashboard.61]', async () => {
      const page = await stage().open(team.people.owner, 'developers');
      const ask = asOther(await stage().open(team.people.admin, 'favicon.svg'));
      const { id } = await ask('', { name: 'Revoked elsewhere', type: 'private' });
      await page.getByRole('button', { name: 'Settings of Revoked elsewhere' }).click();
      const dialog = dialogOf(page, /Revoked elsewhere/);
      await nameOf(dialog).fill('Typed');
      for (let i = 0; i < 50; i += 1) await ask('', { name: `Newest ${i}`, type: 'private' });
      await page.getByText('Newest 49').first().waitFor();
      await ask(`/${id}/revoke`, {});
      await dialog.getByText('This key was revoked').waitFor();
      expect(await nameOf(dialog).inputValue()).toBe('Typed');
    });

    /** Requests about keys in the browser of another person. */
    function asOther(page: Page) {
      const url = `${stage().url}api/keys`;
      return async (path: string, data: unknown, method = 'POST') => {
        const session = await (await page.request.get(`${stage().url}api/session`)).json();
        const response = await page.request.fetch(url + path, {
          method,
          headers: { 'x-csrf-token': session.data.csrf_token },
          ...(data === undefined ? {} : { data }),
        });
        if (!response.ok())
          throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
        return (await response.json()).data;
      };
    }
  });
}
