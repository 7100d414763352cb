import { beforeAll, describe, expect, it } from '@jest/globals';
import { HOSTILE, takenAsMore } from './stage/conversations.ts';
import type { DashboardStage } from './stage/dashboard-stage.ts';
import type { Team } from './stage/team.ts';

// Texts that contacts, callees, files and servers place are tested in hostile-input.suite.ts, calls.suite.ts and campaigns.suite.ts.

const SOON_MS = 86_400_000;

export function hostileSuite(stage: () => DashboardStage): void {
  describe('hostile texts', () => {
    let team: Team;
    let paths: readonly string[] = [];
    beforeAll(async () => {
      team = await stage().createTeam(HOSTILE);
      paths = await furnish(team);
      await addKey(team);
    });

    it('of clients are shown as they are, on every page, and run nothing [dashboard.48]', async () => {
      const page = await stage().open(team.people.owner, 'favicon.svg');
      for (const path of paths) {
        await page.goto(`${stage().url}${path}`);
        await page.getByRole('main').getByText(HOSTILE).first().waitFor();
        expect([path, await takenAsMore(page)]).toEqual([path, []]);
      }
    });
    /** By the dashboard's own route: it needs a session. It expires soon, which the start page says. */
    const addKey = async ({ people }: Team): Promise<void> => {
      const { request } = (await stage().open(people.owner, 'favicon.svg')).context();
      const api = `${stage().platform.url}/dashboard/api`;
      const { data: session } = await (await request.get(`${api}/session`)).json();
      const expiresAt = new Date(Date.now() + SOON_MS).toISOString();
      const response = await request.post(`${api}/keys`, {
        data: { name: HOSTILE, type: 'private', expires_at: expiresAt },
        headers: { 'x-csrf-token': session.csrf_token },
      });
      expect(response.status()).toBe(201);
    };
  });
}

/** Everything that has a name, with this one. Returns the pages that show one. */
async function furnish({ api }: Team): Promise<string[]> {
  const { id: agentId } = await api.data('POST', '/v1/assistant', {
    agent_name: HOSTILE,
    config: { systemPrompt: HOSTILE, firstMessage: HOSTILE },
  });
  const { id: baseId } = await api.data('POST', '/v1/knowledge-base', { name: HOSTILE });
  await api.data('POST', `/v1/knowledge-base/${baseId}/documents`, { title: HOSTILE, text: HOSTILE });
  await api.data('POST', '/v1/phone-number/sip', {
    phone_number: '+15550190001',
    termination_uri: 'sip.example.com',
    outbound_agent_id: agentId,
    nickname: HOSTILE,
  });
  const { campaign_id: campaignId } = await api.data('POST', '/v1/campaigns', {
    campaign_name: HOSTILE,
    agent_id: agentId,
    phone_number: '+15550190001',
    contacts: [{ phone_number: '+12125550101', contact_name: HOSTILE, custom_data: { [HOSTILE]: HOSTILE } }],
  });
  return [
    '',
    'assistants',
    `assistants/${agentId}`,
    `assistants/${agentId}?tab=json`,
    'tools',
    'knowledge',
    `knowledge/${baseId}`,
    'numbers',
    'campaigns',
    `campaigns/${campaignId}`,
    'developers',
    'settings?tab=audit',
  ];
}
