import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Receiver, receiver } from '@parley/testkit';
import { type FakeOpenAi, fakeOpenAi } from './fake-openai.ts';
import { anyNumber, type Harness, type Json, startHarness } from './harness.ts';
import { analyzed, callFrom, connectNumber, customTool, FAST, finished, nativeTool } from './place-call.ts';

const APOLOGY = expect.stringContaining('trouble with my line');

describe('an assistant of the provider openai [assistants.10]', () => {
  let harness: Harness;
  let model: FakeOpenAi;
  let endpoint: Receiver;

  beforeAll(async () => {
    model = await fakeOpenAi();
    endpoint = await receiver();
    harness = await startHarness({
      ...FAST,
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: model.key,
      OPENAI_TIMEOUT_SECONDS: '1',
    });
  });
  afterAll(async () => {
    await harness.close();
    await model.close();
    await endpoint.close();
  });
  beforeEach(() => void model.requests.splice(0));

  type Given = {
    to?: string;
    tools?: ReturnType<typeof customTool>[];
    config?: Record<string, unknown>;
    variables?: Record<string, unknown>;
  };

  const talk = async ({ to = '4242', tools = [], config = {}, variables = {} }: Given = {}) => {
    const number = await connectNumber(harness, { agent: { tools } });
    number.agent.config = {
      ...number.agent.config,
      systemPrompt: 'You sell tea to {{name}}.',
      firstMessage: '',
      model: { provider: 'openai', name: 'tea-1', temperature: 0.7 },
      ...config,
    };
    const extra = { dynamic_variables: variables };
    const id = await callFrom(harness, number, anyNumber(to), extra);
    const call = await finished(harness, number.workspaceId, id);
    const data = analyzed(harness, id)[0]?.data;
    const said = data?.transcript.flatMap((turn) => (turn.role === 'agent' ? [turn.content] : [])) ?? [];
    return { call, data, said, number };
  };

  const lastOf = (request: Json): Json => request.messages.at(-1);

  it('says what the model answers, which gets the prompt, the conversation, and the settings', async () => {
    model.answer(() => ({ text: `Grüße Nummer ${model.requests.length} 🍵, on the phone.` }));
    const { call, said, data } = await talk({ variables: { name: 'Ada' } });
    expect(call.disconnection_reason).toBe('user_hangup');
    expect(said.slice(0, 2)).toEqual([
      'Grüße Nummer 1 🍵, on the phone.',
      'Grüße Nummer 2 🍵, on the phone.',
    ]);
    const [first, second] = model.requests;
    const heard: Json = data?.transcript.find(({ role }) => role === 'user');
    expect(first).toMatchObject({ model: 'tea-1', temperature: 0.7, stream: true });
    expect(first.messages).toEqual([
      { role: 'system', content: expect.stringMatching(/^You sell tea to Ada\./) },
    ]);
    expect(second.messages.slice(1)).toEqual([
      { role: 'assistant', content: said[0] },
      { role: 'user', content: heard?.content },
    ]);
  });

  it('begins with the first message, without a request', async () => {
    model.answer(() => ({ text: 'I see.' }));
    const { said } = await talk({ config: { firstMessage: 'Welcome to the tea house!' } });
    expect(said.slice(0, 2)).toEqual(['Welcome to the tea house!', 'I see.']);
    expect(model.requests[0].messages[1]).toEqual({
      role: 'assistant',
      content: 'Welcome to the tea house!',
    });
  });

  it('uses tools as functions, and answers with their results', async () => {
    endpoint.script('/stock', { body: { pieces: 3 } });
    const tool = customTool({
      tool_name: 'check_stock',
      description: 'Looks into the shelf',
      endpoint_url: `${endpoint.url}/stock`,
      parameters: { type: 'object', properties: { tea: { type: 'string' } }, required: ['tea'] },
    });
    model.answer((request) => {
      if (request.messages.some(({ role }: Json) => role === 'tool'))
        return { text: `It says ${request.messages.findLast(({ role }: Json) => role === 'tool').content}.` };
      return { text: 'One moment.', calls: [{ name: 'check_stock', args: '{"tea":"Grüner"}' }] };
    });
    const { data, said } = await talk({ tools: [tool] });
    expect(said.slice(0, 2)).toEqual(['One moment.', 'It says {"pieces":3}.']);
    expect(data?.tools).toMatchObject([
      {
        tool_name: 'check_stock',
        tool_type: 'custom',
        args: { tea: 'Grüner' },
        result: { pieces: 3 },
        error: null,
      },
    ]);
    const [first, second] = model.requests;
    expect(first.tools[0]).toEqual({
      type: 'function',
      function: { name: 'check_stock', description: 'Looks into the shelf', parameters: tool.parameters },
    });
    expect(JSON.stringify(model.requests)).not.toContain(endpoint.url);
    expect(second.messages.slice(-2)).toMatchObject([
      { role: 'assistant', content: 'One moment.', tool_calls: [{ function: { name: 'check_stock' } }] },
      { role: 'tool', tool_call_id: 'call_check_stock_0', content: '{"pieces":3}' },
    ]);
  });

  it('reports to the model invalid JSON, arguments that do not fit, and unknown tools', async () => {
    const parameters = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const tool = customTool({ tool_name: 'count', endpoint_url: `${endpoint.url}/count`, parameters });
    const wrong = [
      { name: 'count', args: '{"n":' },
      { name: 'count', args: '{"n":"x"}' },
      { name: 'invented', args: '{}' },
    ];
    model.answer((request) => (lastOf(request).role === 'tool' ? { text: 'Sorry.' } : { calls: wrong }));
    const { data, call } = await talk({ tools: [tool] });
    expect(data?.tools.slice(0, 3)).toMatchObject([
      { tool_name: 'count', args: '{"n":', error: 'The arguments are not a JSON object' },
      { tool_name: 'count', args: { n: 'x' }, error: expect.stringContaining('do not fit') },
      { tool_name: 'invented', error: 'There is no tool invented' },
    ]);
    const told = model.requests[1].messages.filter(({ role }: Json) => role === 'tool');
    expect(told.map(({ content }: Json) => JSON.parse(content))).toEqual(
      Array(3).fill({ error: expect.any(String) }),
    );
    expect(endpoint.requests('/count')).toEqual([]);
    expect(call.disconnection_reason).toBe('user_hangup');
  });

  it('ends the call with end_call, and answers from its knowledge bases', async () => {
    const kb = randomUUID();
    const passage = {
      knowledge_base_id: kb,
      document_id: randomUUID(),
      title: 'Teas',
      text: 'Sencha.',
      score: 1,
    };
    harness.peers.knowledge.setPassages(kb, [passage]);
    model.answer((request) => {
      const { role, content } = lastOf(request);
      if (role === 'system') return { calls: [{ name: 'search_knowledge_base', args: '{"query":"teas"}' }] };
      if (role === 'tool') return { text: content };
      return { calls: [{ name: 'end_call', args: '{}' }] };
    });
    const { call, said, data } = await talk({
      tools: [nativeTool('end_call')],
      config: { kbStoreIds: [kb] },
    });
    expect(call.disconnection_reason).toBe('agent_hangup');
    expect(said[0]).toContain('Sencha.');
    expect(data?.tools.map(({ tool_type }) => tool_type)).toEqual(['knowledge_base', 'native']);
  });

  it('requires words in the end from a model that keeps using tools', async () => {
    endpoint.script('/more', { body: {} });
    model.answer(({ tool_choice }) =>
      tool_choice === 'none' ? { text: 'Enough.' } : { calls: [{ name: 'more', args: '' }] },
    );
    const { said } = await talk({
      tools: [customTool({ tool_name: 'more', endpoint_url: `${endpoint.url}/more` })],
    });
    expect(said[0]).toBe('Enough.');
    expect(model.requests.findIndex(({ tool_choice }) => tool_choice === 'none')).toBe(5);
  });

  describe('when the model fails', () => {
    it.each([
      ['an error', { status: 500 }],
      ['a limit', { status: 429 }],
      ['a stream that breaks off', { fault: 'break' }],
    ] as const)('%s once: it is retried unnoticed', async (_, failure) => {
      model.answer(() => (model.requests.length === 1 ? failure : { text: 'Here I am.' }));
      const { said } = await talk();
      expect(said[0]).toBe('Here I am.');
    });

    it.each([
      ['errors', { status: 503 }, 2],
      ['silence', { fault: 'hang' }, 2],
      ['a stream that stalls', { fault: 'stall' }, 2],
      ['a model that does not exist', { status: 404, error: { code: 'model_not_found' } }, 1],
    ] as const)('%s: an apology, and the call continues', async (_, failure, attempts) => {
      model.answer(() => (model.requests.length <= attempts ? failure : { text: 'I am back.' }));
      const { said, call } = await talk();
      expect(said.slice(0, 2)).toEqual([APOLOGY, 'I am back.']);
      expect(call.disconnection_reason).toBe('user_hangup');
    });

    it('at the temperature: it is requested without one', async () => {
      model.answer(({ temperature }) =>
        temperature === undefined
          ? { text: 'Warm enough.' }
          : { status: 400, error: { message: 'unsupported', param: 'temperature' } },
      );
      expect((await talk()).said[0]).toBe('Warm enough.');
    });
  });

  it('ends with error if the operator has removed the endpoint', async () => {
    const number = await connectNumber(harness);
    number.agent.config = {
      ...number.agent.config,
      model: { provider: 'somebody', name: 'x', temperature: 0 },
    };
    const id = await callFrom(harness, number, anyNumber('4242'));
    const call = await finished(harness, number.workspaceId, id);
    expect(call.disconnection_reason).toBe('error');
  });
});
