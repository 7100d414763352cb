import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Receiver, receiver } from '@parley/testkit';
import { bootPlatform, type Platform } from '@parley/testkit/stage';
import { setUpAssistant } from './platform/fixtures.ts';
import { signInAs } from './platform/session.ts';

// An assistant that is tested by text without a call [dashboard.10].

let platform: Platform;
let server: Receiver;
let model: Server;
let agentId: string;
const asked: { messages: { role: string; content: string }[] }[] = [];

beforeAll(async () => {
  server = await receiver();
  // A model that speaks the OpenAI protocol, slowly enough to measure.
  model = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    asked.push(JSON.parse(Buffer.concat(chunks).toString()));
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const words of ['The draft ', 'answers.']) {
      await new Promise((resolve) => setTimeout(resolve, 120));
      const choice = { index: 0, delta: { content: words }, finish_reason: null };
      res.write(`data: ${JSON.stringify({ id: 'c', choices: [choice] })}\n\n`);
    }
    const done = { index: 0, delta: {}, finish_reason: 'stop' };
    res.end(`data: ${JSON.stringify({ id: 'c', choices: [done] })}\n\ndata: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
  const { port } = model.address() as AddressInfo;
  platform = await bootPlatform({ env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` } });
  const { assistant } = await setUpAssistant(platform, server);
  agentId = assistant.id;
});

afterAll(async () => {
  await platform?.stop();
  await server?.close();
  model?.closeAllConnections();
  await new Promise((resolve) => model.close(resolve));
});

type Entry = Record<string, unknown> & { role: string };
type Turn = { test_id: string; entries: Entry[]; ended_by: string | null; unresolved_variables: string[] };

const ask = (body: object, headers?: Record<string, string>) =>
  platform.api.request('POST', '/v1/assistant/test-turn', body, headers);

async function turn(body: object): Promise<Turn> {
  const answer = await ask(body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body.data;
}

/** A conversation as the test pane leads it. */
function conversation(given: object) {
  const transcript: Entry[] = [];
  let test_id: string | undefined;
  return async (message: string | null): Promise<Turn> => {
    const answered = await turn({ ...given, transcript, message, ...(test_id ? { test_id } : {}) });
    if (message !== null) transcript.push({ role: 'user', content: message });
    transcript.push(...answered.entries);
    test_id = answered.test_id;
    return answered;
  };
}

describe('a test turn [dashboard.10]', () => {
  it('talks as the assistant in the editor, which is not saved, by what the client remembers [dashboard.11]', async () => {
    const say = conversation({
      config: {
        firstMessage: 'Hello {{contact_name}} {{missing}}, this is a draft.',
        systemPrompt: 'You are Ada.',
      },
      dynamic_variables: { contact_name: 'Grace' },
    });
    const first = await say(null);
    expect(first).toMatchObject({
      entries: [{ role: 'agent', content: 'Hello Grace , this is a draft.', latency_ms: expect.any(Number) }],
      ended_by: null,
      unresolved_variables: ['missing'],
    });
    expect((await say('My name is Grace Hopper.')).entries[0]?.content).toContain('Grace');
    expect((await say('Goodbye!')).entries.at(-1)).toMatchObject({ role: 'agent' });
    expect(await say('Goodbye!')).toMatchObject({
      entries: [{ role: 'tool', tool_name: 'end_call', tool_type: 'native', simulated: 'Would hang up' }],
      ended_by: 'end_call',
    });
    expect((await platform.api.data('POST', '/v1/assistant/list', { search: 'Test' })) as unknown[]).toEqual(
      [],
    );
  });

  it('merges what is edited into a stored assistant, whose tools it really calls, marked as a test [dashboard.12]', async () => {
    const config = { systemPrompt: 'You are the draft of Ada.', firstMessage: 'Draft.' };
    const say = conversation({ agent_id: agentId, config, dynamic_variables: { day: 'Monday' } });
    expect((await say(null)).entries[0]?.content).toBe('Draft.');
    const { entries, test_id } = await say('Please check availability on Monday.');
    expect(entries).toMatchObject([
      {
        role: 'tool',
        tool_name: 'check_availability',
        tool_type: 'custom',
        arguments: { day: 'Monday' },
        result: { available: true },
        error: null,
        status_code: 200,
        simulated: null,
        duration_ms: expect.any(Number),
      },
      { role: 'agent', content: expect.any(String) },
    ]);
    const request = server.requests('/tool').at(-1);
    expect(request?.headers).toMatchObject({ 'x-test-call': 'true', 'x-secret': 'canary-of-the-tool' });
    const body = JSON.parse(request?.body ?? '');
    expect(body).toMatchObject({
      test: true,
      call_id: test_id,
      agent_id: agentId,
      payload: { tool_call_id: entries[0]?.tool_call_id, call: { call_type: 'web', customer_number: null } },
    });
    expect(body.payload.call.transcript).toContain('Draft.');
    expect(request?.headers['webhook-signature']).toMatch(/^v1,/);
    const stored = await platform.api.data('GET', `/v1/assistant/${agentId}`);
    expect(stored.config.firstMessage).toContain('this is Ada');
  });

  it('can be followed as it happens: a tool is seen while its endpoint works [dashboard.10]', async () => {
    server.script('/tool', { delayMs: 1_500, body: { available: true } });
    const follow = (body: object) =>
      fetch(`${platform.url}/v1/assistant/test-turn/stream`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${platform.workspace.private_key}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
    const response = await follow({ agent_id: agentId, message: 'Please check availability on Monday.' });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    if (!response.body) throw new Error('The response has no body');
    const lines: { atMs: number; line: Record<string, unknown> }[] = [];
    for await (const line of createInterface({ input: Readable.fromWeb(response.body as never) }))
      lines.push({ atMs: performance.now(), line: JSON.parse(line) });
    const [started, used, spoken, end] = lines.map(({ line }) => line);
    expect(started).toEqual({
      type: 'tool_started',
      tool_call_id: expect.any(String),
      tool_name: 'check_availability',
      arguments: { day: 'Monday' },
    });
    expect(used).toMatchObject({ type: 'entry', entry: { role: 'tool', result: { available: true } } });
    expect(spoken).toMatchObject({ type: 'entry', entry: { role: 'agent' } });
    expect(end).toMatchObject({ type: 'turn', turn: { entries: [{ role: 'tool' }, { role: 'agent' }] } });
    expect(Number(lines[1]?.atMs) - Number(lines[0]?.atMs)).toBeGreaterThan(1_000);

    const refused = await follow({ agent_id: randomUUID(), message: 'Hello' });
    expect([refused.status, await refused.json()]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }]);
    server.script('/tool', { body: { available: true } });
  });

  it('only says what native tools would do [dashboard.12]', async () => {
    const config = {
      nativeTools: {
        transfer_call: { enabled: true, mode: 'static', staticDestination: '+15550109999' },
        send_sms: { enabled: true, smsContentType: 'static', smsStaticMessage: 'Your code is 42' },
      },
    };
    const say = conversation({
      agent_id: agentId,
      config,
      call_type: 'inbound',
      dynamic_variables: { to: '+15550107777' },
    });
    await say(null);
    expect((await say('Please use send_sms.')).entries[0]).toMatchObject({
      tool_name: 'send_sms',
      error: null,
      simulated: 'Would send an SMS to +15550107777: Your code is 42',
    });
    expect(await say('Please use transfer_call.')).toMatchObject({
      entries: [{ tool_name: 'transfer_call', simulated: 'Would transfer the call to +15550109999 (cold)' }],
      ended_by: 'transfer_call',
    });
  });

  it('creates no call, no event and no turn', async () => {
    expect(await platform.query('telephony', 'SELECT id FROM calls')).toEqual([]);
    expect(await platform.query('telephony', 'SELECT call_id FROM turns')).toEqual([]);
    expect(server.requests('/hook')).toEqual([]);
  });

  it('measures a model from the line to its first words', async () => {
    const model = { provider: 'openai', name: 'any' };
    const { entries } = await turn({
      config: { systemPrompt: 'You are {{name}}.', model },
      dynamic_variables: { name: 'the draft' },
      transcript: [{ role: 'agent', content: 'Hello.' }],
      message: 'Who are you?',
    });
    expect(entries).toMatchObject([{ role: 'agent', content: 'The draft answers.' }]);
    const [{ latency_ms, duration_ms } = { latency_ms: 0, duration_ms: 0 }] = entries;
    // The first words come 120 ms after the request, the last ones 120 ms later: on a busy machine both may be read late.
    expect(latency_ms).toBeGreaterThanOrEqual(100);
    expect(duration_ms).toBeGreaterThanOrEqual(220);
    expect(latency_ms).toBeLessThan(Number(duration_ms));
    const said = asked.at(-1)?.messages.map(({ role, content }) => [role, content.split('\n')[0]]);
    expect(said).toEqual([
      ['system', 'You are the draft.'],
      ['assistant', 'Hello.'],
      ['user', 'Who are you?'],
    ]);
  });
});

describe('limits of test turns [dashboard.13]', () => {
  it('refuses an invalid draft with the errors of saving it', async () => {
    const { status, body } = await ask({ config: { settings: { silenceTimeout: 1 } } });
    expect([status, body.error.code, body.error.details[0].path]).toEqual([
      422,
      'VALIDATION_FAILED',
      'config.settings.silenceTimeout',
    ]);
  });

  it('needs an assistant of the workspace, a member who may change things, and an assistant of the key', async () => {
    const other = await platform.createWorkspace('Other');
    const by = (key: string) => ({ authorization: `Bearer ${key}` });
    expect((await ask({ agent_id: agentId }, by(other.private_key))).status).toBe(404);
    const viewer = await signInAs(platform, 'viewer', 'viewer@example.org');
    expect((await ask({}, { ...viewer, authorization: '' })).status).toBe(403);
    const developer = await signInAs(platform, 'developer', 'developer@example.org');
    expect((await ask({}, { ...developer, authorization: '' })).status).toBe(200);
    const mine = await platform.api.data('POST', '/v1/assistant', { agent_name: 'Of the key' });
    const args = [
      '--workspace',
      platform.workspace.workspace_id,
      '--type',
      'private',
      '--agent-ids',
      mine.id,
    ];
    const { key } = (await platform.parley('key', 'create', ...args)) as { key: string };
    const statuses = await Promise.all(
      [{ agent_id: mine.id }, { agent_id: agentId }, {}].map(
        async (body) => (await ask(body, by(key))).status,
      ),
    );
    expect(statuses).toEqual([200, 404, 403]);
  });

  it('bounds the conversation that is sent', async () => {
    const entry = { role: 'user', content: 'x' };
    expect((await ask({ transcript: Array(201).fill(entry) })).status).toBe(422);
    expect((await ask({ message: 'x'.repeat(5_001) })).status).toBe(422);
    expect((await ask({ message: '   ' })).status).toBe(422);
  });

  it('ends where the spending of the workspace ends for the day [trust.22]', async () => {
    const { workspace_id: id, private_key: key } = await platform.createWorkspace('Thrifty');
    const headers = { authorization: `Bearer ${key}` };
    await platform.parley('workspace', 'set', '--workspace', id, '--daily-spend-limit-cents', '50');
    expect((await ask({}, headers)).status).toBe(200);
    const today = `(now() AT TIME ZONE 'UTC')::date`;
    await platform.query('telephony', `INSERT INTO daily_spend VALUES ('${id}', ${today}, 50)`);
    const { status, body } = await ask({}, headers);
    expect([status, body.error.code]).toEqual([403, 'FORBIDDEN']);
  });
});

describe('one call of a custom tool [tools.25]', () => {
  const tryTool = (body: object, headers?: Record<string, string>) =>
    platform.api.request('POST', '/v1/tool/custom/test', { agent_id: agentId, ...body }, headers);
  const toolId = async (): Promise<string> =>
    (await platform.api.data('POST', '/v1/tool/list', { agent_id: agentId, search: 'check_availability' }))[0]
      .id;

  it('sends the stored headers and the given arguments, also while the assistant does not use the tool', async () => {
    const tool_id = await toolId();
    const { config } = await platform.api.data('GET', `/v1/assistant/${agentId}`);
    await platform.api.data('PATCH', `/v1/assistant/${agentId}`, { config: { toolIds: [] } });
    const { status, body } = await tryTool({ tool_id, arguments: { day: 'Friday' } });
    await platform.api.data('PATCH', `/v1/assistant/${agentId}`, { config: { toolIds: config.toolIds } });
    expect([status, body.data]).toMatchObject([
      200,
      { tool_name: 'check_availability', status_code: 200, error: null, result: { available: true } },
    ]);
    const request = server.requests('/tool').at(-1);
    expect(request?.headers).toMatchObject({ 'x-test-call': 'true', 'x-secret': 'canary-of-the-tool' });
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      test: true,
      payload: { args: { day: 'Friday' } },
    });
    expect(JSON.stringify(body)).not.toContain('canary-of-the-tool');
  });

  it('says what is wrong with the arguments, as the assistant is told, and 404 for a tool of another assistant', async () => {
    const { body } = await tryTool({ tool_id: await toolId(), arguments: { day: 7 } });
    expect(body.data).toMatchObject({
      status_code: null,
      error: expect.stringContaining('do not fit the tool'),
    });
    const other = await platform.api.data('POST', '/v1/assistant', { agent_name: 'Other' });
    expect((await tryTool({ agent_id: other.id, tool_id: await toolId() })).status).toBe(404);
    const viewer = await signInAs(platform, 'viewer', 'viewer-of-tools@example.com');
    const headers = { ...viewer, authorization: '' };
    expect((await tryTool({ tool_id: await toolId() }, headers)).status).toBe(403);
  });
});
