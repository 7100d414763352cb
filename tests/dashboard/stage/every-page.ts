import { eventually } from '@parley/testkit';
import type { Page } from 'playwright-core';
import { type Conversations, conversations } from './conversations.ts';
import type { Team } from './team.ts';

const EDITOR = ['prompt', 'voice', 'calls', 'tools', 'knowledge', 'analysis', 'webhook', 'json'];
const CALL = ['overview', 'timeline', 'webhooks', 'json'];
const SETTINGS = ['workspace', 'members', 'do-not-call', 'retention', 'audit', 'account'];

/** Every page of a workspace with each of its tabs. Words in capitals stand for ids (`pathOf`). */
export const PATHS: readonly string[] = [
  '',
  'assistants',
  ...EDITOR.map((tab) => `assistants/AGENT?tab=${tab}`),
  'tools',
  'knowledge',
  'knowledge/BASE',
  'numbers',
  'numbers/NUMBER',
  'calls',
  ...CALL.map((tab) => `calls/CALL?tab=${tab}`),
  'campaigns',
  'campaigns/new',
  'campaigns/CAMPAIGN',
  'webhooks',
  'developers',
  ...SETTINGS.map((tab) => `settings?tab=${tab}`),
];

const ID_WORDS = ['AGENT', 'BASE', 'NUMBER', 'CALL', 'CAMPAIGN', 'LIVE', 'RUNNING'] as const;
export type Ids = Readonly<Record<(typeof ID_WORDS)[number], string>>;
const ID_WORD = new RegExp(`\\b(?:${ID_WORDS.join('|')})\\b`);

export function pathOf(path: string, ids: Ids): string {
  return path.replace(ID_WORD, (word) => ids[word as keyof Ids]);
}

export type Furnished = { world: Conversations; ids: Ids };

/**
 * A workspace with one of each thing that pages show, a live call and a running campaign included. The assistant is Ada, with the tool
 * `check_availability`.
 */
export async function furnish(team: Team, from: string): Promise<Furnished> {
  const { api } = team;
  const world = await conversations(team, from);
  const AGENT = world.agentId;
  const addCampaign = async (name: string, number: string): Promise<string> =>
    (
      await api.data('POST', '/v1/campaigns', {
        campaign_name: name,
        agent_id: AGENT,
        phone_number: from,
        contacts: [{ phone_number: number, contact_name: 'Grace', custom_data: { bicycle: 'tandem' } }],
      })
    ).campaign_id;
  const [CALL, { id: BASE }, CAMPAIGN, RUNNING] = await Promise.all([
    world.finishedCall('+12125550010', { contact_name: 'Grace', bicycle: 'tandem' }),
    api.data('POST', '/v1/knowledge-base', { name: 'House rules' }),
    addCampaign('Spring', '+12125550101'),
    addCampaign('Summer', '+12125560007'),
    api.data('POST', '/v1/do-not-call', { phone_numbers: ['+12125550102'] }),
  ]);
  await api.data('POST', `/v1/knowledge-base/${BASE}/documents`, { title: 'Towels', text: 'Changed daily.' });
  await api.data('POST', `/v1/campaigns/${RUNNING}/resume`);
  const [number] = (await api.request('POST', '/v1/phone-number/list', {})).body.data;
  const LIVE = await world.call('+12125550007', { contact_name: 'Grace', bicycle: 'tandem' });
  return { world, ids: { AGENT, BASE, NUMBER: number.id, CALL, CAMPAIGN, LIVE, RUNNING } };
}

/** Waits for the content of the page: nothing stands in its place, and nothing is on its way. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  // A page with something live may never stop reading.
  await page.waitForLoadState('networkidle', { timeout: 10_000 }).catch(() => undefined);
  await eventually(async () => {
    const left = await page.locator('main').locator(PLACEHOLDERS).count();
    if (left > 0) throw new Error(`${page.url()}: ${left} parts are still loading`);
  });
}

const PLACEHOLDERS =
  '.mantine-Skeleton-root, .mantine-Loader-root, [aria-busy="true"], [role="tabpanel"]:empty:not([style*="none"])';
