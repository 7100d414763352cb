import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page, Response } from 'playwright-core';
import { checkPage } from './stage/check-page.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Person, Team } from './stage/team.ts';

const FIRST_LOAD_BYTES = 200_000;

export function shellSuite(stage: () => DashboardStage): void {
  describe('shell and sign-in', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Acme');
    });
    const signIn = async (page: Page, { email, password }: Person) => {
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    };

    it('signs in with a password and returns to the page; a wrong one is said in words [dashboard.20] [dashboard.24]', async () => {
      const page = await stage().open(undefined, 'developers');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await checkPage(page, 'sign-in');
      await signIn(page, { ...team.people.owner, password: 'wrong horse battery' });
      await page.getByRole('alert').filter({ hasText: 'password' }).waitFor();
      await signIn(page, team.people.owner);
      await page.getByRole('heading', { name: 'Developers' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/dashboard/developers');
    });

    it('never leads out of the dashboard after the sign-in [dashboard.20]', async () => {
      const page = await stage().open(undefined, 'sign-in?return_to=%22%2F%2Fexample.com%22');
      await signIn(page, team.people.owner);
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      expect(new URL(page.url()).origin).toBe(stage().platform.url);
    });

    it('a link signs in once, and used again it is said in words [dashboard.20]', async () => {
      const made = (await stage().platform.parley(
        ...['member', 'link', '--workspace', team.workspace.workspace_id],
        ...['--email', team.people.developer.email],
      )) as { sign_in_url: string };
      const path = made.sign_in_url.slice(made.sign_in_url.indexOf('sign-in/link'));
      const page = await stage().open(undefined, path);
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      const again = await stage().open(undefined, path);
      await again.getByRole('heading', { name: 'This link does not work' }).waitFor();
      expect(again.url()).not.toContain('#');
      await checkPage(again, 'link-used');
    });

    it('an invited person chooses a password and is in [dashboard.20]', async () => {
      const { invitation_token: token } = await team.invite('viewer', 'grace@example.com');
      const page = await stage().open(undefined, `invitation#${token}`);
      await page.getByRole('heading', { name: 'Join Acme' }).waitFor();
      await checkPage(page, 'invitation');
      await page.getByLabel('Password', { exact: true }).fill('a long enough password');
      await page.getByRole('button', { name: 'Join' }).click();
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    });

    it('stays when the session ends, and loses nothing that was typed [dashboard.21]', async () => {
      const page = await stage().open(team.people.owner, 'settings');
      await page.getByLabel('Name', { exact: true }).fill('Acme Dental');
      await page.context().clearCookies();
      await page.getByRole('button', { name: 'Save' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      await dialog.waitFor();
      await dialog.getByLabel('Password', { exact: true }).fill(team.people.owner.password);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await dialog.waitFor({ state: 'hidden' });
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Acme Dental');
      await page.reload();
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Acme Dental');
      await page.getByRole('button', { name: 'Save' }).first().click();
      await page.getByText('Saved', { exact: true }).waitFor();
    });

    it('has shortcuts for pages and commands [dashboard.25]', async () => {
      const page = await stage().open(team.people.viewer);
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('w');
      await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find or do' }).fill('developers');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Developers', level: 1 }).waitFor();
    });

    it('loads at most 200 kB of compressed script for the sign-in and for each page of the navigation [dashboard.24]', async () => {
      const paths = ['', 'assistants', 'tools', 'knowledge', 'numbers', 'calls', 'campaigns', 'webhooks'];
      const loads = [await scriptBytes(await openUncached(stage()), 'sign-in')];
      const page = await openUncached(stage(), team.people.owner);
      for (const path of [...paths, 'developers', 'settings']) loads.push(await scriptBytes(page, path));
      for (const { bytes } of loads) expect(bytes).toBeGreaterThan(50_000);
      expect(loads.filter(({ bytes }) => bytes > FIRST_LOAD_BYTES)).toEqual([]);
    });
  });
}

/** A page that loads everything again at each navigation. */
async function openUncached(stage: DashboardStage, person?: Person): Promise<Page> {
  const page = await stage.open(person, 'favicon.svg');
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  return page;
}

/** Of a page, until it has requested no script for a second. */
async function scriptBytes(page: Page, path: string): Promise<{ path: string; bytes: number }> {
  let [bytes, at] = [0, performance.now()];
  const count = (response: Response) => {
    if (response.request().resourceType() !== 'script') return;
    bytes += Number(response.headers()['content-length']);
    at = performance.now();
  };
  page.on('response', count);
  await page.goto(new URL(`/dashboard/${path}`, page.url()).href);
  await page.getByRole('heading', { level: 1 }).waitFor();
  while (performance.now() - at < 1_000) await page.waitForTimeout(100);
  page.off('response', count);
  return { path, bytes };
}
