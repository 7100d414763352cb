import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { checkPage, NARROW } from './stage/check-page.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import { type Furnished, furnish, pathOf, untilLoaded } from './stage/every-page.ts';
import { acceptInvitation, type Team } from './stage/team.ts';

type State = { name: string; path: string; open(page: Page): Promise<unknown> };

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first();
const dialog = (page: Page) => page.getByRole('dialog').first().waitFor();

/** Dialogs, drawers and menus that the other suites do not check on their way. */
const STATES: readonly State[] = [
  opened('assistants', 'New assistant'),
  opened('knowledge', 'New knowledge base'),
  opened('knowledge/BASE', 'Add documents'),
  opened('knowledge/BASE', 'Towels'),
  opened('campaigns/CAMPAIGN', 'Add contacts'),
  opened('campaigns/CAMPAIGN', 'Cancel campaign'),
  opened('webhooks', 'Send a test'),
  opened('webhooks', 'Rotate the secret'),
  opened('webhooks', 'Set a secret of an assistant'),
  opened('developers', 'Create a key'),
  opened('settings?tab=members', 'Invite'),
  {
    name: 'calls-filter',
    path: 'calls',
    open: async (page) => {
      await button(page, 'Outcome').click();
      await page.getByRole('checkbox', { name: 'Busy' }).waitFor();
    },
  },
  {
    name: 'campaigns-filter',
    path: 'campaigns',
    open: async (page) => {
      await button(page, 'Status').click();
      await button(page, 'Running').waitFor();
    },
  },
  {
    name: 'menu',
    path: 'assistants',
    open: async (page) => {
      await button(page, 'Actions of Ada').click();
      await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor();
    },
  },
  {
    name: 'commands',
    path: 'webhooks',
    open: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('option').first().waitFor();
    },
  },
  {
    name: 'shortcuts',
    path: 'webhooks',
    open: async (page) => {
      await page.keyboard.press('?');
      await dialog(page);
    },
  },
  {
    name: 'navigation',
    path: 'webhooks',
    open: async (page) => {
      await page.setViewportSize(NARROW);
      await page.getByRole('button', { name: 'Navigation' }).click();
      await dialog(page);
    },
  },
];
/** Pages that no other suite checks in this state, and what shows it. */
const SHOWN: readonly [name: string, path: string, text: string][] = [
  ['not-found', 'nowhere', 'There is no such page'],
  ['call-json', 'calls/CALL?tab=json', '"status": "completed"'],
  ['call-live', 'calls/LIVE', 'In conversation'],
  ['calls-live', 'calls', 'In conversation'],
  ['campaign-running', 'campaigns/RUNNING', 'Running'],
  ['home-live', '', 'Summer'],
];
/** Pages outside of a workspace, for a person who is not signed in. */
const OUTSIDE: readonly [name: string, path: string, heading: string][] = [
  ['forgot', 'password/forgot', 'Forgot your password?'],
  ['reset', `password#${'t'.repeat(43)}`, 'Choose a new password'],
  ['reset-link-gone', 'password', 'This link does not work'],
  ['address', `address#${'t'.repeat(43)}`, 'Verify your address'],
  ['invitation-gone', 'invitation', 'This invitation does not work'],
];
const TABS = ['voice', 'calls', 'tools', 'knowledge', 'analysis', 'webhook'];

/** A page with the dialog that a button opens. */
function opened(path: string, name: string): State {
  return {
    name: `dialog-${name.toLowerCase().replaceAll(' ', '-')}`,
    path,
    open: async (page) => {
      await button(page, name).click();
      await dialog(page);
    },
  };
}

export function accessibilitySuite(stage: () => DashboardStage): void {
  describe('accessibility', () => {
    let team: Team;
    let furnished: Furnished;
    beforeAll(async () => {
      team = await stage().createTeam('Accessible');
      furnished = await furnish(team, '+15550200001');
    });
    afterAll(async () => {
      await furnished?.world.hooks.close();
    });
    const openPath = (path: string) => stage().open(team.people.owner, pathOf(path, furnished.ids));

    it.each(SHOWN)('of the page %s [dashboard.24]', async (name, path, text) => {
      const page = await openPath(path);
      await untilLoaded(page);
      await page.getByRole('main').getByText(text).first().waitFor();
      await checkPage(page, name);
    });

    it.each(OUTSIDE)('of the page %s, signed out [dashboard.24]', async (name, path, heading) => {
      const page = await stage().open(undefined, path);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await page.waitForLoadState('networkidle');
      await checkPage(page, name);
    });

    it('of the choice of a workspace [dashboard.24]', async () => {
      const { admin } = team.people;
      const { parley } = stage().platform;
      await parley('member', 'prove', '--email', admin.email);
      const other = await stage().platform.createWorkspace('Corner Bakery');
      const to = ['--workspace', other.workspace_id, '--email', admin.email, '--role', 'viewer'];
      const { invitation_token: token } = (await parley('member', 'add', ...to)) as {
        invitation_token: string;
      };
      await acceptInvitation(stage().platform, token, admin.password);
      const page = await stage().open(admin, 'workspace');
      await page.getByRole('button', { name: /Corner Bakery/ }).waitFor();
      await checkPage(page, 'choose-workspace');
    });

    it.each(STATES)('of $name, opened [dashboard.24]', async ({ name, path, open }) => {
      const page = await openPath(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await open(page);
      await checkPage(page, name);
    });

    it.each(TABS)('of the tab %s of an assistant [dashboard.24]', async (tab) => {
      const page = await openPath(`assistants/AGENT?tab=${tab}`);
      await page.getByRole('tabpanel').locator('h2').first().waitFor();
      await checkPage(page, `assistant-tab-${tab}`);
    });

    it.each(['light', 'dark'] as const)(
      'of buttons under the mouse, badges and titles of notes in the %s scheme: a contrast of 4.5 [dashboard.24]',
      async (colorScheme) => {
        const page = await stage().open(team.people.owner, 'developers');
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
        const contrasts = (await page.evaluate(CONTRASTS)) as [name: string, contrast: number][];
        expect(contrasts).toHaveLength(10);
        expect(contrasts.filter(([, contrast]) => contrast < 4.5)).toEqual([]);
      },
    );

    it('of the test pane above the editor of a phone [dashboard.24]', async () => {
      const page = await stage().open(team.people.owner, 'favicon.svg');
      await page.setViewportSize(NARROW);
      await page.goto(`${stage().url}${pathOf('assistants/AGENT', furnished.ids)}`);
      await button(page, 'Test').click();
      await button(page, 'Start the conversation').click();
      await page.getByLabel('What you say').waitFor();
      await checkPage(page, 'assistant-test-narrow');
    });
  });
}

/** Of the text of each color on its grounds. Axe sees the second only while the mouse is on a button. */
const CONTRASTS = `(() => {
  const probe = document.body.appendChild(document.createElement('i'));
  const luminance = (name) => {
    probe.style.color = 'var(--mantine-color-' + name + ')';
    const [red, green, blue] = getComputedStyle(probe).color.match(/[0-9.]+/g).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  return ['red', 'orange', 'yellow', 'iris', 'gray'].flatMap((color) =>
    ['light', 'light-hover'].map((ground) => {
      const [text, behind] = [luminance(color + '-light-color'), luminance(color + '-' + ground)];
      return [color + ' on ' + ground, Math.max(text, behind) / Math.min(text, behind)];
    }),
  );
})()`;
