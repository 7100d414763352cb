import { randomUUID } from 'node:crypto';
import type { AnyEndpoint } from '@parley/contracts';
import type { Receiver } from '@parley/testkit';
import type { Platform, Workspace } from '@parley/testkit/stage';
import { type Api, createApi } from '@parley/testkit/stage';
import { setUpAssistant } from './fixtures.ts';
import { type SessionHeaders, signInAs } from './session.ts';

/** Ids by kind of resource; a document has the id of its base, too. */
export type Ids = {
  assistant: string;
  tool: string;
  number: string;
  call: string;
  campaign: string;
  base: string;
  document: string;
  doNotCall: string;
  member: string;
  key: string;
  session: string;
  workspace: string;
  erasure: string;
};

/** `person` is an owner who is signed in. */
export type Party = { workspace: Workspace; api: Api; ids: Ids; person: SessionHeaders };

/** Headers of a session instead of a key. */
export const bySession = (person: SessionHeaders) => ({ ...person, authorization: '' });

/** A workspace that has one of everything. */
export async function newParty(platform: Platform, server: Receiver, digits: string): Promise<Party> {
  const workspace = await platform.createWorkspace('Another');
  const set = ['workspace', 'set', '--workspace', workspace.workspace_id, '--max-live-calls', '1000'];
  await platform.parley(...set);
  const api = createApi(platform.url, workspace.private_key);
  const { assistant, tool, number } = await setUpAssistant({ ...platform, api }, server);
  const base = await api.data('POST', '/v1/knowledge-base', { name: 'A base' });
  const document = await api.data('POST', `/v1/knowledge-base/${base.id}/documents`, {
    title: 'A document',
    text: 'Some words.',
  });
  const call = await api.data('POST', '/v2/call/web', { agent_id: assistant.id });
  const campaign = await api.data('POST', '/v1/campaigns', {
    campaign_name: 'A campaign',
    agent_id: assistant.id,
    phone_number: number.phone_number,
    contacts: [{ phone_number: '+12025550123' }],
  });
  const doNotCall = `+1202555${digits}`;
  await api.data('POST', '/v1/do-not-call', { phone_numbers: [doNotCall] });
  const erasure = await api.data('POST', '/v1/erasure', { phone_number: `+1303555${digits}` });
  const person = await signInAs({ ...platform, workspace }, 'owner', `owner-${digits}@example.org`);
  const own = async (what: string) =>
    (await api.request('GET', `/dashboard/api/${what}`, undefined, bySession(person))).body.data;
  const [[member], [key], { session_id: session }] = [
    await own('members'),
    await own('keys'),
    await own('session'),
  ];
  return {
    workspace,
    api,
    person,
    ids: {
      assistant: assistant.id,
      tool: tool.id,
      number: number.id,
      call: call.id,
      campaign: campaign.campaign_id,
      base: base.id,
      document: document.id,
      doNotCall,
      member: member.id,
      key: key.id,
      session,
      workspace: workspace.workspace_id,
      erasure: erasure.id,
    },
  };
}

/** Ids that never existed. */
export function unknownIds(): Ids {
  const id = randomUUID;
  return {
    ...{ assistant: id(), tool: id(), number: id(), call: id(), campaign: id(), base: id(), document: id() },
    ...{ member: id(), key: id(), session: id(), workspace: id(), erasure: id() },
    doNotCall: `+1303${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`,
  };
}

export const MALFORMED: Ids = {
  ...{ assistant: 'nope', tool: 'nope', number: 'nope', call: 'nope', campaign: 'nope', base: 'nope' },
  ...{ document: 'nope', doNotCall: 'nope', member: 'nope', key: 'nope', session: 'nope', workspace: 'nope' },
  erasure: 'nope',
};

const OF_PATH: [prefix: string, kind: keyof Ids][] = [
  ['/v1/assistant/', 'assistant'],
  ['/v1/tool/', 'tool'],
  ['/v1/knowledge-base/', 'base'],
  ['/v1/phone-number/', 'number'],
  ['/v2/call/', 'call'],
  ['/v1/campaigns/', 'campaign'],
  ['/v1/erasure/', 'erasure'],
  ['/internal/removals/', 'erasure'],
  ['/dashboard/api/members/', 'member'],
  ['/dashboard/api/keys/', 'key'],
  ['/dashboard/api/sessions/', 'session'],
  ['/dashboard/api/workspaces/', 'workspace'],
];

/** The path of a route with these ids in it. A route that nothing is known of is a mistake of the test. */
export function pathWith({ path, id }: AnyEndpoint, ids: Ids): string {
  const [, kind] = OF_PATH.find(([prefix]) => path.startsWith(prefix)) ?? [];
  return path.replace(/:(\w+)/g, (_, name: string) => {
    if (name === 'phone_number') return encodeURIComponent(ids.doNotCall);
    if (name === 'docId') return ids.document;
    if (name === 'id' && kind) return ids[kind];
    throw new Error(`${id}: nobody knows what :${name} of ${path} is`);
  });
}
