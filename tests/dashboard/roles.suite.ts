import { beforeAll, describe, expect, it } from '@jest/globals';
import { isAtLeast, ROLES, type Role } from '@parley/contracts';
import type { Locator, Page } from 'playwright-core';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Team } from './stage/team.ts';

const NUMBER = '+15550180001';
const BLOCKED = '+15550180002';

/** The control of a page, by its role and name, and the lowest role that may use it. */
type Control = readonly [kind: 'button' | 'link' | 'textbox', name: string, minimum: Role];

export function rolesSuite(stage: () => DashboardStage): void {
  describe('roles', () => {
    let team: Team;
    let pages: readonly (readonly [path: string, controls: readonly Control[]])[] = [];
    beforeAll(async () => {
      team = await stage().createTeam('Roles');
      pages = controlsOf(await furnish(team));
    });

    // What each of these requests is answered is tested for every route and role by tests/authorization.test.ts.
    it.each(ROLES)(
      'as %s, every control is enabled or says which role it needs [dashboard.22]',
      async (role) => {
        const page = await stage().open(team.people[role], 'favicon.svg');
        for (const [path, controls] of pages) {
          await page.goto(`${stage().url}${path}`);
          for (const [kind, name, minimum] of controls) {
            const control = page.getByRole(kind, { name, exact: true }).first();
            await control.waitFor();
            const isAllowed = isAtLeast(role, minimum);
            const reason = kind === 'textbox' ? undefined : await control.getAttribute('aria-description');
            expect([path, name, await isEnabled(control)]).toEqual([path, name, isAllowed]);
            if (kind !== 'textbox' && !isAllowed) expect(reason).toContain(`You are ${role} here`);
          }
        }
      },
    );

    it('as a viewer, a disabled control does nothing, and the menus of an assistant and of a knowledge base neither [dashboard.22]', async () => {
      const page = await stage().open(team.people.viewer, 'favicon.svg');
      const changes: string[] = [];
      page.on('request', (request) => {
        // Lists are read with POST.
        if (request.method() !== 'GET' && !request.url().endsWith('/list')) changes.push(request.url());
      });
      for (const [path, controls] of pages) {
        await page.goto(`${stage().url}${path}`);
        for (const [kind, name] of controls) {
          const control = page.getByRole(kind, { name, exact: true }).first();
          await control.waitFor();
          await control.click({ force: true });
        }
        expect(await page.getByRole('dialog').count()).toBe(0);
        expect(new URL(page.url()).pathname).toBe(new URL(`${stage().url}${path}`).pathname);
      }
      await page.goto(`${stage().url}assistants`);
      await page.getByRole('button', { name: 'Actions of Ada' }).click();
      for (const name of ['Duplicate', 'Delete']) await clickForced(page, name);
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(changes).toEqual([]);
    });
  });
}

async function clickForced(page: Page, name: string): Promise<void> {
  const item = page.getByRole('menuitem', { name, exact: true });
  expect(await item.getAttribute('aria-disabled')).toBe('true');
  await item.click({ force: true });
}

async function isEnabled(control: Locator): Promise<boolean> {
  return (await control.getAttribute('aria-disabled')) !== 'true' && !(await control.isDisabled());
}

type Ids = { agentId: string; baseId: string; numberId: string; campaignId: string };

/** One of each thing that pages show. */
async function furnish({ api }: Team): Promise<Ids> {
  const { id: agentId } = await api.data('POST', '/v1/assistant', {
    agent_name: 'Ada',
    config: { settings: { webhookUrl: 'https://example.com/hook' } },
  });
  const { id: baseId } = await api.data('POST', '/v1/knowledge-base', { name: 'House rules' });
  await api.data('POST', `/v1/knowledge-base/${baseId}/documents`, {
    title: 'Towels',
    text: 'Changed daily.',
  });
  const { id: numberId } = await api.data('POST', '/v1/phone-number/sip', {
    phone_number: NUMBER,
    termination_uri: 'sip.example.com',
    outbound_agent_id: agentId,
  });
  const { campaign_id: campaignId } = await api.data('POST', '/v1/campaigns', {
    campaign_name: 'Spring',
    agent_id: agentId,
    phone_number: NUMBER,
    contacts: [{ phone_number: '+12125550101' }],
  });
  await api.data('POST', '/v1/do-not-call', { phone_numbers: [BLOCKED] });
  return { agentId, baseId, numberId, campaignId };
}

function controlsOf({ agentId, baseId, numberId, campaignId }: Ids) {
  return [
    ['assistants', [['button', 'New assistant', 'developer']]],
    [`assistants/${agentId}`, [['textbox', 'Name', 'developer']]],
    ['tools', [['button', 'New tool', 'developer']]],
    ['knowledge', [['button', 'New knowledge base', 'developer']]],
    [
      `knowledge/${baseId}`,
      [
        ['button', 'Add documents', 'developer'],
        ['button', 'Delete Towels', 'developer'],
      ],
    ],
    ['numbers', [['button', 'Add number', 'developer']]],
    [`numbers/${numberId}`, [['button', 'Delete number', 'developer']]],
    ['campaigns', [['link', 'New campaign', 'developer']]],
    [
      `campaigns/${campaignId}`,
      [
        ['button', 'Start', 'developer'],
        ['button', 'Add contacts', 'developer'],
        ['button', 'Cancel campaign', 'developer'],
      ],
    ],
    [
      'webhooks',
      [
        ['button', 'Send a test', 'developer'],
        ['button', 'Test https://example.com/hook', 'developer'],
        ['button', 'Rotate the secret', 'admin'],
        ['button', 'Set a secret of an assistant', 'developer'],
      ],
    ],
    ['developers', [['button', 'Create a key', 'admin']]],
    ['settings', [['textbox', 'Name', 'admin']]],
    ['settings?tab=members', [['button', 'Invite', 'admin']]],
    ['settings?tab=do-not-call', [['button', `Remove ${BLOCKED}`, 'developer']]],
    ['settings?tab=retention', [['textbox', 'Recordings, from the end of their call', 'owner']]],
  ] as const satisfies readonly (readonly [string, readonly Control[]])[];
}
