import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  type Booted,
  customTool,
  type Harness,
  type HttpAnswer,
  type Json,
  newWorkspace,
  startHarness,
} from './harness.ts';

let service: Harness;
let second: Booted;
const workspace = newWorkspace();

beforeAll(async () => {
  service = await startHarness();
  second = await service.boot();
});
afterAll(() => service.close());

const NATIVE = ['end_call', 'transfer_call', 'send_sms'] as const;
const BATCHES = 40;
const AT_ONCE = 5;
const SEED = 20_261_122;

/** Pseudo-random numbers in [0, 1), the same in every run (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const random = randomFrom(SEED);
const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
const maybe = (fields: Json): Json => Object.fromEntries(Object.entries(fields).filter(() => random() < 0.6));

const entry = (name: string): Json => {
  const enabled = random() < 0.6;
  if (name === 'transfer_call') {
    const mode = oneOf(['static', 'dynamic']);
    return maybe({ enabled, mode, staticDestination: oneOf(['', '+14155550123', 'sip:desk@example.com']) });
  }
  if (name === 'send_sms') {
    return maybe({
      enabled,
      smsContentType: oneOf(['prompt', 'static']),
      smsStaticMessage: oneOf(['', 'Hi']),
    });
  }
  return { enabled };
};
const nativeTools = (): Json => {
  const entries = NATIVE.map((name) => [name, random() < 0.15 ? null : entry(name)]);
  return maybe(Object.fromEntries(entries));
};
const toolFields = (name: string): Json => {
  if (name === 'transfer_call') {
    const transfer_call_destination = oneOf([null, '', '+14155550124']);
    return {
      ...maybe({ transfer_call_mode: oneOf(['static', 'dynamic']), transfer_call_destination }),
      description: 'x',
    };
  }
  if (name === 'send_sms') {
    const fields = { sms_content_type: oneOf(['prompt', 'static']), sms_static_message: oneOf([null, 'Ho']) };
    return { ...maybe(fields), description: 'x' };
  }
  return { description: 'x' };
};

type Request = [method: string, path: string, body?: Json];

function anyRequest(agentId: string, tools: readonly Json[], n: number): Request {
  const name = oneOf(NATIVE);
  const tool = oneOf([...tools, { id: agentId, tool_name: name, is_native: true }]);
  const toolIds = tools.filter(() => random() < 0.6).map(({ id }) => id);
  const assistant = `/v1/assistant/${agentId}`;
  const kind = tool.is_native ? 'native' : 'custom';
  return oneOf<() => Request>([
    () => ['PATCH', assistant, { config: { nativeTools: nativeTools() } }],
    () => ['PATCH', assistant, { config: maybe({ nativeTools: nativeTools(), toolIds, n }) }],
    () => ['PUT', assistant, { config: maybe({ nativeTools: nativeTools(), toolIds, n }) }],
    () => ['POST', '/v1/tool/native', { agent_id: agentId, tool_name: name, ...toolFields(name) }],
    () => ['POST', '/v1/tool/custom', { ...customTool(agentId), tool_name: `tool_${n}` }],
    () => ['PUT', `/v1/tool/${kind}/${tool.id}`, toolFields(tool.tool_name)],
    () => ['DELETE', `/v1/tool/${tool.id}`],
  ])();
}

/** The settings of a tool as its entry in the configuration shows them. */
function asEntry(tool: Json): Json {
  if (tool.tool_name === 'transfer_call') {
    return { mode: tool.transfer_call_mode, staticDestination: tool.transfer_call_destination ?? '' };
  }
  if (tool.tool_name !== 'send_sms') return {};
  return { smsContentType: tool.sms_content_type, smsStaticMessage: tool.sms_static_message ?? '' };
}

/** Checks the invariant of [assistants.15] and returns the tools. */
async function expectOneStory(agentId: string): Promise<Json[]> {
  const { config } = (await service.get(workspace, `/v1/assistant/${agentId}`)).body.data;
  const tools: Json[] = (await service.post(workspace, '/v1/tool/list', { agent_id: agentId, size: 100 }))
    .body.data;
  const { toolIds } = config;
  expect(new Set(toolIds).size).toBe(toolIds.length);
  expect(toolIds.filter((id: string) => !tools.some((tool) => tool.id === id))).toEqual([]);
  expect(Object.keys(config.nativeTools).sort()).toEqual([...NATIVE].sort());
  for (const name of NATIVE) {
    const { enabled, ...settings } = config.nativeTools[name];
    const found = tools.filter((tool) => tool.tool_name === name);
    expect(found.length).toBeLessThanOrEqual(1);
    const [tool] = found;
    expect([name, enabled]).toEqual([name, tool !== undefined && toolIds.includes(tool.id)]);
    if (tool) expect([name, settings]).toEqual([name, asEntry(tool)]);
    if (!enabled) continue;
    if (settings.mode === 'static') expect(settings.staticDestination).not.toBe('');
    if (settings.smsContentType === 'static') expect(settings.smsStaticMessage).not.toBe('');
  }
  return tools;
}

it(`entries, tools and toolIds are consistent after ${BATCHES * AT_ONCE} changes of all kinds, ${AT_ONCE} at a time`, async () => {
  const { id } = await service.addAssistant(workspace);
  const seen = new Map<string, number>();
  let tools = await expectOneStory(id);
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const requests = Array.from({ length: AT_ONCE }, (_, i) => anyRequest(id, tools, batch * AT_ONCE + i));
    const answers: HttpAnswer[] = await Promise.all(
      requests.map(([method, path, body], i) =>
        service.ask(workspace, method, path, { body, ...(i % 2 ? { at: second } : {}) }),
      ),
    );
    for (const [i, { status, text }] of answers.entries()) {
      if (status >= 500) throw new Error(`${JSON.stringify(requests[i])}: ${text}`);
      const [method = '', path = ''] = requests[i] ?? [];
      const what = `${method} ${path.split('/')[2]} ${status < 300 ? 'done' : 'refused'}`;
      seen.set(what, (seen.get(what) ?? 0) + 1);
    }
    tools = await expectOneStory(id);
  }
  // The test proves little unless each kind of change has succeeded several times.
  for (const what of ['PATCH assistant', 'PUT assistant', 'POST tool', 'PUT tool', 'DELETE tool']) {
    expect([what, (seen.get(`${what} done`) ?? 0) > 4]).toEqual([what, true]);
  }
});
