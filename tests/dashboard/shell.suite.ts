import { beforeAll, describe, expect, it } from '@jest/globals';
import { checkPage } from './stage/check-page.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Team } from './stage/team.ts';

export function shellSuite(stage: () => DashboardStage): void {
  describe('shell and sign-in', () => {
    let team: Team;
    beforeAll(async () => {
      team = await stage().createTeam('Acme');
    });

    it('a person signs in with a password, and a wrong one is said in words', async () => {
      const page = await stage().open(undefined, 'calls');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await checkPage(page, 'sign-in');
      await page.getByLabel('E-mail address').fill(team.people.owner.email);
      await page.getByLabel('Password', { exact: true }).fill('wrong horse battery');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').filter({ hasText: 'password' }).waitFor();
      await page.getByLabel('Password', { exact: true }).fill(team.people.owner.password);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Calls' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/dashboard/calls');
    });
  });
}
