import { eventually } from '@parley/testkit';
import { type Api, createApi, type Platform, type Workspace } from '@parley/testkit/stage';

const NUMBER = '+12125550121';
const CONTACTS = 480;
const CALLED = 40;
const NAMES = [
  'Grace Hopper',
  'Alan Turing',
  'Katherine Johnson',
  'Edsger Dijkstra',
  'Ada Lovelace',
  'Ken Thompson',
];
const BICYCLES = ['cargo bike', 'tandem', 'road bike', 'folding bike'];
/** Voicemail, busy, no answer, and conversations [running.2]. */
const ENDINGS = ['0042', '0008', '0002', '0010', '0001', '0043', '0003'];

/** What the workspace has on the day of the pictures. `agentId`: who calls. Returns what they show of it. */
export async function addDay(platform: Platform, workspace: Workspace, agentId: string) {
  const api = createApi(platform.url, workspace.private_key);
  const of = ['--workspace', workspace.workspace_id];
  await platform.parley('workspace', 'set', ...of, '--max-live-calls', '60');
  for (const [name, role] of [
    ['grace', 'admin'],
    ['linus', 'developer'],
    ['margaret', 'viewer'],
  ])
    await platform.parley(
      'member',
      'add',
      ...of,
      '--email',
      `${name}@freewheel.example`,
      '--role',
      role ?? '',
    );
  return { baseId: await addKnowledge(api), runningId: await startCampaign(api, agentId) };
}

async function addKnowledge(api: Api): Promise<string> {
  const documents = {
    'Opening hours': 'The workshop is open Monday to Friday from 8 to 18, and on Saturday from 9 to 13.',
    'Prices of repairs': 'A new tube is 18 euros with work. A yearly check of a cargo bike is 95 euros.',
    'Pick-up':
      'A repaired bicycle is kept for two weeks. Bring the order number; another person may pick it up.',
  };
  const { id } = await api.data('POST', '/v1/knowledge-base', { name: 'Workshop' });
  for (const [title, text] of Object.entries(documents))
    await api.data('POST', `/v1/knowledge-base/${id}/documents`, { title, text });
  await api.data('POST', '/v1/knowledge-base', { name: 'Rental bicycles' });
  return id;
}

/** A campaign that goes on for minutes, when some of its contacts have been called. */
async function startCampaign(api: Api, agentId: string): Promise<string> {
  await api.data('POST', '/v1/phone-number/sip', {
    phone_number: NUMBER,
    termination_uri: 'sip.example.com',
    nickname: 'Reminders',
    outbound_agent_id: agentId,
    max_cps: 2,
  });
  const { campaign_id: id } = await api.data('POST', '/v1/campaigns', {
    campaign_name: 'Spring check-ups',
    agent_id: agentId,
    phone_number: NUMBER,
    contacts: Array.from({ length: CONTACTS }, (_, i) => ({
      phone_number: `+1646${200 + i}${ENDINGS[i % ENDINGS.length]}`,
      contact_name: NAMES[i % NAMES.length],
      custom_data: { bicycle: BICYCLES[i % BICYCLES.length], order_number: String(71_000 + i) },
    })),
  });
  await api.data('POST', `/v1/campaigns/${id}/resume`);
  await eventually(
    async () => {
      const { completed_calls: called } = await api.data('GET', `/v1/campaigns/${id}`);
      if (called < CALLED) throw new Error(`${called} contacts called`);
    },
    { timeoutMs: 120_000 },
  );
  return id;
}
