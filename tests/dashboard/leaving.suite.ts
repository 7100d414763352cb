import { describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Page } from 'playwright-core';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Person } from './stage/team.ts';

/** A member ends the own membership [dashboard.75]. */
export function leavingSuite(stage: () => DashboardStage): void {
  describe('leaving a workspace', () => {
    const leave = async (page: Page, name: string) => {
      await page.getByRole('button', { name: `Leave ${name}` }).click();
      const dialog = page.getByRole('dialog', { name: `Leave ${name}?` });
      await dialog.getByText('you have to be invited again').waitFor();
      return dialog;
    };
    const drafts = (page: Page): Promise<string[]> =>
      page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('parley:draft:'))");
    const open = (person: Person) => stage().open(person, 'settings?tab=members');

    it('is refused to the last owner, in words [dashboard.75]', async () => {
      const team = await stage().createTeam('Last');
      const page = await open(team.people.owner);
      const dialog = await leave(page, 'Last');
      await dialog.getByText('The last owner cannot leave').waitFor();
      await dialog.getByRole('button', { name: 'Leave the workspace' }).click();
      await dialog.getByText('this is the last one').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('owner', { exact: true }).first().waitFor();
    });

    it('of somebody without another one ends in the sign-in, and the account with it [dashboard.75]', async () => {
      const team = await stage().createTeam('Only');
      const { viewer, owner } = team.people;
      const page = await open(viewer);
      const others = await open(owner);
      await others.getByText(viewer.email).waitFor();
      const dialog = await leave(page, 'Only');
      await dialog.getByText('Your account is deleted too').waitFor();
      await dialog.getByRole('button', { name: 'Leave the workspace' }).click();
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
      await others.getByText(viewer.email).waitFor({ state: 'hidden', timeout: 15_000 });
      const members: { email: string }[] = await stage().platform.query(
        'gateway',
        'SELECT email FROM members WHERE workspace_id = $1',
        team.workspace.workspace_id,
      );
      expect(members.map(({ email }) => email)).not.toContain(viewer.email);
    });

    it('goes on in the only other workspace, and removes the drafts of this one [dashboard.75]', async () => {
      const [first, second] = [await stage().createTeam('First'), await stage().createTeam('Second')];
      const { developer } = first.people;
      const { parley } = stage().platform;
      const of = ['--email', developer.email, '--workspace'];
      await parley('member', 'prove', ...of, first.workspace.workspace_id);
      await second.invite('viewer', developer.email).then(async ({ invitation_token: token }) => {
        const response = await fetch(`${stage().platform.url}/dashboard/api/invitations/accept`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ token, password: developer.password }),
        });
        expect(response.status).toBe(201);
      });
      const page = await stage().open(undefined, 'sign-in');
      await page.getByLabel('E-mail address').fill(developer.email);
      await page.getByLabel('Password', { exact: true }).fill(developer.password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('button', { name: /First/ }).click();
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      await page.goto(`${stage().url}settings?tab=do-not-call`);
      await page.getByRole('textbox', { name: 'Numbers', exact: true }).fill('+14155550191');
      await eventually(async () => expect(await drafts(page)).toHaveLength(1));
      await page.getByRole('tab', { name: 'Members' }).click();
      const dialog = await leave(page, 'First');
      await dialog.getByRole('button', { name: 'Leave the workspace' }).click();
      await page.getByText('You have left First').waitFor();
      await page.getByRole('button', { name: /Second viewer/ }).waitFor();
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      expect(await drafts(page)).toEqual([]);
    });
  });
}
