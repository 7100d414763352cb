import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toolInvokedEvent } from '@parley/contracts';
import { type Receiver, receiver } from '@parley/testkit';
import { anyNumber, type Harness, startHarness } from './harness.ts';
import {
  analyzed,
  callFrom,
  connectNumber,
  customTool,
  FAST,
  finished,
  nativeTool,
  type Settings,
} from './place-call.ts';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

describe('tools during a call', () => {
  let harness: Harness;
  let endpoint: Receiver;

  beforeAll(async () => {
    endpoint = await receiver();
    harness = await startHarness({ ...FAST, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' });
  });
  afterAll(async () => {
    await harness.close();
    await endpoint.close();
  });

  /** Calls a number that ends in 0010, which requests each tool in turn, and waits for the end. */
  const useEach = async (
    tools: ReturnType<typeof customTool>[],
    extra: Record<string, unknown> = {},
    settings: Settings = {},
    kbStoreIds: string[] = [],
  ) => {
    const number = await connectNumber(harness, { agent: { tools }, settings });
    number.agent.config = { ...number.agent.config, kbStoreIds };
    harness.peers.setSettings(number.workspaceId, { webhook_secrets: [SECRET] });
    const to = anyNumber('0010');
    const id = await callFrom(harness, number, to, extra);
    const call = await finished(harness, number.workspaceId, id);
    const data = analyzed(harness, id)[0]?.data;
    return {
      id,
      to,
      call,
      number,
      toolTurns: data?.transcript.filter(({ role }) => role === 'tool') ?? [],
      data,
    };
  };

  it('sends every header of the tool; its content type and user agent replace ours', async () => {
    endpoint.script('/own', { body: {} });
    const headers = { 'Content-Type': 'application/vnd.shop+json', 'User-Agent': 'Shop/1', 'X-Key': 'k' };
    await useEach([customTool({ tool_name: 'own', endpoint_url: `${endpoint.url}/own`, headers })]);
    expect(endpoint.requests('/own')[0]?.headers).toMatchObject({
      'content-type': 'application/vnd.shop+json',
      'user-agent': 'Shop/1',
      'x-key': 'k',
    });
  });

  it('posts the signed envelope and uses the JSON response as the result', async () => {
    endpoint.script('/order', { body: { state: 'sent', parts: [1, 2] } });
    const tool = customTool({
      tool_name: 'check_order',
      description: 'Looks up an order',
      endpoint_url: `${endpoint.url}/order`,
      headers: { authorization: 'Bearer t0ken' },
      parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    });
    const { id, to, number, toolTurns, data } = await useEach([tool], { dynamic_variables: { a: 'b' } });
    const [request] = endpoint.requests('/order');
    if (!request) throw new Error('the tool was not asked');
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer t0ken',
      'user-agent': 'Parley-Webhooks/1',
    });
    const told = endpoint.verify(request, SECRET);
    // The schema in the API reference.
    expect(toolInvokedEvent.parse(told)).toEqual(told);
    expect(told).toEqual({
      event: 'tool_invoked',
      call_id: id,
      agent_id: number.agent.agent_id,
      timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      payload: {
        tool_name: 'check_order',
        tool_call_id: request.headers['webhook-id'],
        args: { n: 1 },
        call: {
          call_type: 'outbound',
          customer_number: to,
          dynamic_variables: { a: 'b' },
          transcript: expect.stringContaining('Agent: Hello, how can I help you?'),
          transcript_object: expect.arrayContaining([
            { role: 'agent', content: 'Hello, how can I help you?', timestamp: expect.any(String) },
          ]),
        },
      },
    });
    const result = { state: 'sent', parts: [1, 2] };
    expect(toolTurns).toEqual([
      expect.objectContaining({
        tool_name: 'check_order',
        query: '{"n":1}',
        status_code: 200,
        result,
        error: null,
      }),
    ]);
    expect(data?.tools).toEqual([
      {
        tool_name: 'check_order',
        tool_type: 'custom',
        description: 'Looks up an order',
        args: { n: 1 },
        result,
        error: null,
        executed_at: expect.any(String),
        slow: false,
      },
    ]);
  });

  it('sends the arguments of GET tools in the query string', async () => {
    endpoint.script('/find', { body: 'null' });
    const parameters = { properties: { tags: { type: 'array', items: { type: 'string', enum: ['x'] } } } };
    const { id, number } = await useEach([
      customTool({
        tool_name: 'find',
        http_method: 'GET',
        endpoint_url: `${endpoint.url}/find?k=1`,
        parameters,
      }),
    ]);
    const [request] = endpoint.requests('/find');
    expect(request).toMatchObject({ method: 'GET', url: '/find?k=1&tags=x', body: '' });
    expect(request?.headers).toMatchObject({
      'x-call-id': id,
      'x-agent-id': number.agent.agent_id,
      'x-tool-call-id': request?.headers['webhook-id'],
    });
    const verify = (secret: string) => () => request && endpoint.verify(request, secret);
    expect(verify(SECRET)).not.toThrow();
    if (!request) throw new Error('the tool was not asked');
    // Valid only for these arguments and this path [tools.19].
    for (const url of ['/find?k=1&tags=y', '/find', '/other?k=1&tags=x'])
      expect(() => endpoint.verify({ ...request, url }, SECRET)).toThrow();
    expect(verify(`whsec_${Buffer.alloc(32, 8).toString('base64')}`)).toThrow();
  });

  it("signs with the tool's own secret if it has one, otherwise with the workspace's [tools.19]", async () => {
    const [own, previous, expired] = [5, 6, 7].map(
      (byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`,
    ) as [string, string, string];
    endpoint.script('/own-secret', { body: {} });
    endpoint.script('/shared-secret', { body: {} });
    const day = 86_400_000;
    const at = (ms: number) => new Date(harness.context.clock.now().getTime() + ms).toISOString();
    await useEach([
      customTool({
        tool_name: 'own_secret',
        endpoint_url: `${endpoint.url}/own-secret`,
        webhook_secrets: [
          { secret: own, expires_at: null },
          { secret: previous, expires_at: at(30 * day) },
          { secret: expired, expires_at: at(-day) },
        ],
      }),
      customTool({ tool_name: 'shared_secret', endpoint_url: `${endpoint.url}/shared-secret` }),
    ]);
    const [toOwn] = endpoint.requests('/own-secret');
    const [toShared] = endpoint.requests('/shared-secret');
    if (!toOwn || !toShared) throw new Error('a tool was not asked');
    for (const secret of [own, previous]) expect(() => endpoint.verify(toOwn, secret)).not.toThrow();
    for (const secret of [SECRET, expired]) expect(() => endpoint.verify(toOwn, secret)).toThrow();
    expect(() => endpoint.verify(toShared, SECRET)).not.toThrow();
    expect(() => endpoint.verify(toShared, own)).toThrow();
  });

  it('reports failures to the assistant, and the call continues', async () => {
    endpoint.script('/broken', { status: 500, body: { no: 'way' } });
    endpoint.script('/text', { body: 'hello' });
    const broken = customTool({ tool_name: 'broken', endpoint_url: `${endpoint.url}/broken` });
    const text = customTool({ tool_name: 'text_only', endpoint_url: `${endpoint.url}/text` });
    const nobody = customTool({ tool_name: 'nobody', endpoint_url: 'http://127.0.0.1:1/' });
    const forbidden = customTool({ tool_name: 'forbidden', endpoint_url: 'http://169.254.169.254/' });
    const { call, toolTurns } = await useEach([broken, text, nobody, forbidden]);
    expect(call.disconnection_reason).toBe('user_hangup');
    expect(toolTurns).toMatchObject([
      { tool_name: 'broken', status_code: 500, error: expect.stringContaining('500'), result: null },
      { tool_name: 'text_only', status_code: 200, error: expect.stringContaining('JSON'), result: null },
      { tool_name: 'nobody', status_code: null, error: expect.any(String) },
      { tool_name: 'forbidden', status_code: null, error: expect.any(String) },
    ]);
    // A rejection is a response, so there is no retry.
    expect(endpoint.requests('/broken')).toHaveLength(1);
  });

  it('keeps 15,000 characters of a response, whatever it contains', async () => {
    endpoint.script('/long', { body: JSON.stringify(`\u0000${'é😀'.repeat(10_000)}`) });
    const { toolTurns } = await useEach([
      customTool({ tool_name: 'long', endpoint_url: `${endpoint.url}/long` }),
    ]);
    expect(toolTurns).toMatchObject([
      { error: null, result: expect.stringMatching(/\[cut after 15000 characters\]$/) },
    ]);
  });

  it('keeps characters that text columns do not accept', async () => {
    endpoint.script('/odd', { body: '{"nul":"a\\u0000b","half":"\\ud83d","__proto__":1}' });
    const { toolTurns } = await useEach([
      customTool({ tool_name: 'odd', endpoint_url: `${endpoint.url}/odd` }),
    ]);
    expect(toolTurns).toHaveLength(1);
    expect(JSON.stringify(toolTurns[0])).toContain('a\\u0000b');
  });

  it('sends no request with arguments that do not fit, and informs the assistant', async () => {
    const zip = { type: 'string', pattern: '^[0-9]{5}$' };
    const { toolTurns, data, call } = await useEach([
      customTool({
        tool_name: 'strict',
        endpoint_url: `${endpoint.url}/strict`,
        parameters: { properties: { zip } },
      }),
    ]);
    const error = expect.stringContaining('The arguments do not fit the tool');
    expect(toolTurns).toMatchObject([{ tool_name: 'strict', status_code: null, result: null, error }]);
    expect(endpoint.requests('/strict')).toEqual([]);
    expect(data?.transcript).toContainEqual(
      expect.objectContaining({ role: 'agent', content: expect.stringContaining('did not work') }),
    );
    expect(call.disconnection_reason).toBe('user_hangup');
  });

  it('logs a tool that was running when the call ended', async () => {
    endpoint.script('/never', { fault: 'hang' });
    const never = customTool({ tool_name: 'never', endpoint_url: `${endpoint.url}/never` });
    const { call, toolTurns, data } = await useEach([never], {}, { maxCallDuration: 200 });
    expect(call.disconnection_reason).toBe('timeout');
    const error = 'The result was not awaited: the call is being hung up';
    expect(toolTurns).toMatchObject([{ tool_name: 'never', status_code: null, result: null, error }]);
    expect(data?.tools).toMatchObject([{ tool_name: 'never', error }]);
  });

  it('ends the call with end_call, after all other tools', async () => {
    const sms = nativeTool('send_sms', { sms_content_type: 'static', sms_static_message: 'Hi {{name}}' });
    const { call, data } = await useEach([nativeTool('end_call'), sms], {
      dynamic_variables: { name: 'Ada' },
    });
    expect(call).toMatchObject({ disconnection_reason: 'agent_hangup', unresolved_placeholders: [] });
    expect(data?.tools.map(({ tool_name, tool_type, error }) => [tool_name, tool_type, error])).toEqual([
      ['send_sms', 'native', null],
      ['end_call', 'native', null],
    ]);
  });

  it("sends an SMS with the text of the model or the client, through the tool's account", async () => {
    const account = { telco_account_sid: `AC${'1'.repeat(32)}`, telco_auth_token: '2'.repeat(32) };
    const prompt = nativeTool('send_sms', { ...account, sms_content_type: 'prompt' });
    const message = { type: 'string' };
    prompt.parameters = { properties: { message }, required: ['message'] };
    const sent = await useEach([prompt]);
    expect(sent.toolTurns).toMatchObject([{ error: null, result: { status: 'sent' } }]);
    const refused = nativeTool('send_sms', {
      ...account,
      telco_auth_token: '0'.repeat(32),
      sms_content_type: 'static',
      sms_static_message: 'Hi',
    });
    const { toolTurns, call } = await useEach([refused]);
    expect(toolTurns).toMatchObject([{ error: 'The carrier refused the credentials', result: null }]);
    expect(call.disconnection_reason).toBe('user_hangup');
  });

  it('records the passages of a knowledge base in the turn of its tool [knowledge.3]', async () => {
    const kb = randomUUID();
    const passage = {
      knowledge_base_id: kb,
      document_id: randomUUID(),
      title: 'Opening hours',
      text: 'We open at nine.',
      score: 0.7,
    };
    harness.peers.knowledge.setPassages(kb, [passage]);
    const { toolTurns, data, number } = await useEach([], {}, {}, [kb]);
    const result = { passages: [{ title: 'Opening hours', text: 'We open at nine.' }] };
    expect(toolTurns).toMatchObject([
      { tool_name: 'search_knowledge_base', result, error: null, documents: [passage], status_code: null },
    ]);
    expect(data?.tools).toMatchObject([
      { tool_name: 'search_knowledge_base', tool_type: 'knowledge_base', result, error: null },
    ]);
    expect(harness.peers.knowledge.searched).toContain('Please use the first of your tools.');

    // Telephony has a copy of the assistant but can't search its knowledge.
    harness.peers.assistants.cut();
    try {
      const id = await callFrom(harness, number, anyNumber('0010'));
      const call = await finished(harness, number.workspaceId, id);
      expect(call.disconnection_reason).toBe('user_hangup');
      expect(analyzed(harness, id)[0]?.data.tools).toMatchObject([
        { tool_type: 'knowledge_base', result: null, error: 'The knowledge bases could not be searched' },
      ]);
    } finally {
      await harness.peers.assistants.restore();
    }
  });

  it('transfers the call with transfer_call', async () => {
    const transfer = { transfer_call_mode: 'static', transfer_call_type: 'cold' } as const;
    const answered = nativeTool('transfer_call', { ...transfer, transfer_call_destination: '+14155557777' });
    expect((await useEach([answered])).call.disconnection_reason).toBe('call_transfer');
    const busy = nativeTool('transfer_call', { ...transfer, transfer_call_destination: '+14155550002' });
    const refused = await useEach([busy]);
    expect(refused.call.disconnection_reason).toBe('user_hangup');
    expect(refused.toolTurns).toMatchObject([{ error: 'The destination did not answer' }]);
    const timeline = await harness.ask(refused.number.workspaceId, 'GET', `/v2/call/${refused.id}/timeline`);
    expect(timeline.body.data).toContainEqual(
      expect.objectContaining({
        type: 'transfer',
        destination: '+14155550002',
        transfer_type: 'cold',
        ok: false,
      }),
    );
    const dynamic = nativeTool('transfer_call', { transfer_call_mode: 'dynamic' });
    dynamic.parameters = { properties: { destination: { type: 'string' } }, required: ['destination'] };
    expect((await useEach([dynamic])).toolTurns).toMatchObject([
      { error: 'The destination must be an E.164 number or a sip: URI without headers' },
    ]);
    const told = await useEach([dynamic], { dynamic_variables: { destination: 'sip:desk@example.com' } });
    expect(told.call.disconnection_reason).toBe('call_transfer');
  });
});
