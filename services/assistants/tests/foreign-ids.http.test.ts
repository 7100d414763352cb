import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AnyEndpoint, allEndpoints } from '@parley/contracts';
import {
  customTool,
  type Harness,
  type HttpAnswer,
  type Json,
  newWorkspace,
  startHarness,
} from './harness.ts';
import { knowledge } from './knowledge.ts';

let service: Harness;
const [owner, stranger] = [newWorkspace(), newWorkspace()];
/** Ids of the owner's resources, by their placeholder in the path. */
let theirs: Record<'agent' | 'custom' | 'native' | 'base' | 'document' | 'ownBase' | 'ownAgent', string>;

beforeAll(async () => {
  service = await startHarness();
  const { add, addDocument } = knowledge(service);
  const base = await add(owner);
  const agent = await service.addAssistant(owner, { kbStoreIds: [base] });
  theirs = {
    base,
    document: await addDocument(owner, base, 'Menu', 'A heron.'),
    agent: agent.id,
    native: agent.config.toolIds[0],
    custom: (await service.addTool(owner, agent.id)).id,
    ownBase: await add(stranger),
    ownAgent: (await service.addAssistant(stranger)).id,
  };
});
afterAll(() => service.close());

type Ids = Record<'agent' | 'custom' | 'native' | 'base' | 'document', string>;
/** For every route with an id, a request that its owner could send. `id` and `docId` fill the path. */
const REQUESTS: Record<string, (ids: Ids) => { id?: string; docId?: string; body?: Json; as?: 'service' }> = {
  getAssistant: ({ agent }) => ({ id: agent }),
  patchAssistant: ({ agent }) => ({ id: agent, body: { agent_name: 'Eve' } }),
  replaceAssistant: ({ agent }) => ({ id: agent, body: { agent_name: 'Eve' } }),
  deleteAssistant: ({ agent }) => ({ id: agent }),
  createAssistant: ({ base }) => ({ body: { agent_name: 'Eve', config: { kbStoreIds: [base] } } }),
  createCustomTool: ({ agent }) => ({ body: customTool(agent) }),
  updateCustomTool: ({ custom }) => ({ id: custom, body: { description: 'Eve' } }),
  createNativeTool: ({ agent }) => ({ body: { agent_id: agent, tool_name: 'send_sms' } }),
  updateNativeTool: ({ native }) => ({ id: native, body: { description: 'Eve' } }),
  deleteTool: ({ custom }) => ({ id: custom }),
  getTool: ({ custom }) => ({ id: custom }),
  listTools: ({ agent }) => ({ body: { agent_id: agent } }),
  getKnowledgeBase: ({ base }) => ({ id: base }),
  deleteKnowledgeBase: ({ base }) => ({ id: base }),
  searchKnowledgeBase: ({ base }) => ({ id: base, body: { query: 'heron' } }),
  addDocument: ({ base }) => ({ id: base, body: { title: 'Eve', text: 'Eve' } }),
  listDocuments: ({ base }) => ({ id: base }),
  getDocument: ({ base, document }) => ({ id: base, docId: document }),
  deleteDocument: ({ base, document }) => ({ id: base, docId: document }),
  getAssistantBriefs: ({ agent }) => ({ body: { agent_ids: [agent] }, as: 'service' }),
  getAssistantWebhookSecrets: ({ agent }) => ({ body: { agent_ids: [agent] }, as: 'service' }),
  getAssistantSnapshot: ({ agent }) => ({ id: agent, as: 'service' }),
  getDraftSnapshot: ({ agent }) => ({ body: { agent_id: agent, config: {} }, as: 'service' }),
  searchKnowledge: ({ base }) => ({
    body: { knowledge_base_ids: [base], query: 'heron', limit: 3 },
    as: 'service',
  }),
};
/** Routes that take no id of a workspace. */
const WITHOUT_IDS = [
  'listAssistants',
  'listVoices',
  'listModels',
  'listTranscribers',
  'listWorkspaceTools',
  'createKnowledgeBase',
  'listKnowledgeBases',
  'rebuildNumberLinks',
];

const ours: AnyEndpoint[] = allEndpoints.filter((endpoint) => endpoint.service === 'assistants');

const ask = (endpoint: AnyEndpoint, ids: Ids): Promise<HttpAnswer> => {
  const { id, docId, body, as } = REQUESTS[endpoint.id]?.(ids) ?? {};
  const path = endpoint.path.replace(':id', id ?? '').replace(':docId', docId ?? '');
  return as === 'service'
    ? service.callAsService(stranger, endpoint.method, path, body)
    : service.ask(stranger, endpoint.method, path, { body });
};
/** The response without the parts that always differ: the request id and the requested ids. */
const told = ({ status, text }: HttpAnswer): [number, string] => [
  status,
  text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'an id'),
];
const random = (): Ids => ({
  agent: randomUUID(),
  custom: randomUUID(),
  native: randomUUID(),
  base: randomUUID(),
  document: randomUUID(),
});

it('every route of the service is in the table below, or has no id', () => {
  expect(ours.map(({ id }) => id).sort()).toEqual([...Object.keys(REQUESTS), ...WITHOUT_IDS].sort());
});

describe('ids of another workspace are answered exactly like unknown ids', () => {
  it.each(ours.filter(({ id }) => id in REQUESTS).map((endpoint) => [endpoint.id, endpoint] as const))(
    '%s',
    async (_, endpoint) => {
      const [foreign, none] = [await ask(endpoint, theirs), await ask(endpoint, random())];
      expect(told(foreign)).toEqual(told(none));
      expect(foreign.text).not.toContain('heron');
    },
  );

  it('also next to valid ids: in a configuration, or below a knowledge base of their own', async () => {
    const patch = (base: string) =>
      service.ask(stranger, 'PATCH', `/v1/assistant/${theirs.ownAgent}`, {
        body: { config: { kbStoreIds: [theirs.ownBase, base] } },
      });
    expect(told(await patch(theirs.base))).toEqual(told(await patch(randomUUID())));
    const use = (tool: string) =>
      service.ask(stranger, 'PATCH', `/v1/assistant/${theirs.ownAgent}`, {
        body: { config: { toolIds: [tool] } },
      });
    expect((await use(theirs.custom)).body.data.config).toEqual((await use(randomUUID())).body.data.config);
    const read = (document: string) =>
      service.get(stranger, `/v1/knowledge-base/${theirs.ownBase}/documents/${document}`);
    expect(told(await read(theirs.document))).toEqual(told(await read(randomUUID())));
  });

  it('without any change for the owner', async () => {
    const { agent, base, custom, native, document } = theirs;
    const paths = [
      `assistant/${agent}`,
      `knowledge-base/${base}`,
      `knowledge-base/${base}/documents/${document}`,
    ];
    for (const path of [...paths, `tool/${custom}`, `tool/${native}`]) {
      const { status, text } = await service.get(owner, `/v1/${path}`);
      expect(status).toBe(200);
      expect(text).not.toContain('Eve');
    }
  });
});
