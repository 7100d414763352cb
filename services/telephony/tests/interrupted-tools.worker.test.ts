import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { type FakeOpenAi, fakeOpenAi } from './fake-openai.ts';
import { anyNumber, type Harness, type Json, startHarness } from './harness.ts';
import { analyzed, callFrom, connectNumber, customTool, FAST, finished, readCall } from './place-call.ts';
import { type WorkerProcess, workerProcess } from './worker-process.ts';

/** Slow enough that no silence timeout occurs while a lease of two real seconds expires. */
const RATE = { ...FAST, CLOCK_RATE: '15', PROCESSES: 'api' };

/** Starting processes and expiring leases takes longer on a busy machine. */
const LONGEST_MS = 90_000;

describe('a tool that is running when its worker is lost [tools.20]', () => {
  let harness: Harness;
  let endpoint: Receiver;
  let model: FakeOpenAi;

  beforeAll(async () => {
    endpoint = await receiver();
    model = await fakeOpenAi();
    harness = await startHarness({
      ...RATE,
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: model.key,
    });
  });
  afterAll(async () => {
    await harness.close();
    await model.close();
    await endpoint.close();
  });

  /** A call whose worker is lost, in the given way, during its first tool execution. */
  const interrupt = async (path: string, tool: Json, lose: (worker: WorkerProcess) => Promise<void>) => {
    const tools = [
      customTool({ tool_name: 'place_order', endpoint_url: `${endpoint.url}${path}`, ...tool }),
      customTool({ tool_name: 'second', endpoint_url: `${endpoint.url}/second` }),
    ];
    endpoint.script('/second', { body: { ok: true } });
    const number = await connectNumber(harness, { agent: { tools }, settings: { maxCallDuration: 600 } });
    const first = await workerProcess(harness);
    const id = await callFrom(harness, number, anyNumber('0010'));
    await eventually(() => expect(endpoint.requests(path)).toHaveLength(1));
    const second = await harness.boot({ PROCESSES: 'worker' });
    await lose(first);
    const call = await finished(harness, number.workspaceId, id);
    await second.stop();
    const turns = analyzed(harness, id)[0]?.data.transcript ?? [];
    return {
      id,
      call,
      tools: turns.filter(({ role }) => role === 'tool') as Json[],
      log: analyzed(harness, id)[0]?.data.tools as Json[],
      said: turns.flatMap((turn) => (turn.role === 'agent' ? [turn.content] : [])),
    };
  };

  const takenOver = (id: string, fence: number) =>
    eventually(
      async () => {
        expect(
          (
            await harness.sql.$queryRaw<{ fence: number }[]>`SELECT fence FROM calls WHERE id = ${id}::uuid`
          )[0]?.fence,
        ).toBeGreaterThanOrEqual(fence);
      },
      { timeoutMs: 20_000 },
    );

  it(
    'is not called again, and the assistant is informed',
    async () => {
      endpoint.script('/hangs', { fault: 'hang', delayMs: 60_000 });
      const { id, call, tools, log, said } = await interrupt('/hangs', {}, async (worker) => {
        await worker.kill('SIGKILL');
      });
      expect(endpoint.requests('/hangs')).toHaveLength(1);
      expect(tools).toMatchObject([
        {
          tool_name: 'place_order',
          status_code: null,
          result: null,
          error: expect.stringContaining('interrupted'),
        },
        { tool_name: 'second', error: null },
      ]);
      expect(log).toMatchObject([
        { tool_name: 'place_order', tool_type: 'custom', error: expect.stringContaining('interrupted') },
        { tool_name: 'second', error: null },
      ]);
      expect(said).toContainEqual(expect.stringContaining('place order did not work'));
      expect(call.disconnection_reason).toBe('user_hangup');
      expect(
        await harness.sql.$queryRaw<unknown[]>`SELECT 1 FROM tools_under_way WHERE call_id = ${id}::uuid`,
      ).toEqual([]);
    },
    LONGEST_MS,
  );

  it(
    'ends its call with error at the second crash at the same step',
    async () => {
      endpoint.script('/kills', { fault: 'hang', delayMs: 60_000 });
      model.answer(() => ({ calls: [{ name: 'poison', args: '{}' }] }));
      const tools = [customTool({ tool_name: 'poison', endpoint_url: `${endpoint.url}/kills` })];
      const number = await connectNumber(harness, { agent: { tools }, settings: { maxCallDuration: 3_600 } });
      number.agent.config = { ...number.agent.config, model: { provider: 'openai', name: 'm' } };
      const bystander = await connectNumber(harness, { settings: { silenceTimeout: 600 } });
      const first = await workerProcess(harness);
      const id = await callFrom(harness, number, anyNumber('4242'));
      const quiet = await callFrom(harness, bystander, anyNumber('0006'));
      const used = (times: number) =>
        eventually(() => expect(endpoint.requests('/kills')).toHaveLength(times), { timeoutMs: 20_000 });
      await used(1);
      const second = await workerProcess(harness);
      await first.kill('SIGKILL');
      await used(2);
      const last = await harness.boot({ PROCESSES: 'worker' });
      await second.kill('SIGKILL');
      const call = await finished(harness, number.workspaceId, id);
      expect(call.disconnection_reason).toBe('error');
      expect(endpoint.requests('/kills')).toHaveLength(2);
      // A call that only waited is continued.
      expect((await readCall(harness, bystander.workspaceId, quiet)).status).toBe('in-progress');
      await harness.ask(bystander.workspaceId, 'POST', `/v2/call/${quiet}/stop`);
      await finished(harness, bystander.workspaceId, quiet);
      await last.stop();
    },
    LONGEST_MS,
  );

  it(
    'has no effect if its worker was only suspended: one turn, and no second request',
    async () => {
      endpoint.script('/slow', { body: { state: 'sent' }, delayMs: 3_000 });
      let calls: { id: string }[] = [];
      const { tools, log, call } = await interrupt('/slow', { http_method: 'GET' }, async (worker) => {
        worker.pause();
        calls = await harness.sql.$queryRaw<
          { id: string }[]
        >`SELECT id::text FROM calls WHERE status <> 'completed'`;
        for (const { id } of calls) await takenOver(id, 2);
        worker.goOn();
        await eventually(() => expect(endpoint.requests('/second').length).toBeGreaterThan(0));
      });
      expect(calls).toHaveLength(1);
      expect(endpoint.requests('/slow')).toHaveLength(1);
      expect(tools.map(({ tool_name }) => tool_name)).toEqual(['place_order', 'second']);
      expect(tools[0].error).toContain('interrupted');
      expect(log).toHaveLength(2);
      expect(call.disconnection_reason).toBe('user_hangup');
    },
    LONGEST_MS,
  );
});
