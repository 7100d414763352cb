import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import {
  type Booted,
  type Harness,
  type HttpAnswer,
  type Json,
  newWorkspace,
  startHarness,
  whenAvailable,
} from './harness.ts';

const AT_ONCE = 50;

let service: Harness;
let other: Booted;
const workspace = newWorkspace();

beforeAll(async () => {
  service = await startHarness();
  other = await service.boot();
});
afterAll(() => service.close());

/** Sends every second request to the other process. */
const patch = (id: string, config: Json, i = 0): Promise<HttpAnswer> =>
  service.ask(workspace, 'PATCH', `/v1/assistant/${id}`, {
    body: { config },
    ...(i % 2 ? { at: other } : {}),
  });
/** Retries while the assistant is locked or no connection is free. */
const patchPatiently = (...request: Parameters<typeof patch>): Promise<HttpAnswer> =>
  whenAvailable(() => patch(...request), [409, 429, 503]);
const times = <T>(make: (i: number) => T): T[] => Array.from({ length: AT_ONCE }, (_, i) => make(i));
const statuses = (answers: HttpAnswer[]): number[] => [...new Set(answers.map(({ status }) => status))];
const configOf = async (id: string): Promise<Json> =>
  (await service.get(workspace, `/v1/assistant/${id}`)).body.data.config;

/** Runs `work` while a transaction that hangs holds the lock of the assistant's row. */
const whileHeld = <T>(id: string, work: () => Promise<T>): Promise<T> =>
  service.sql.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM assistants WHERE id = ${id}::uuid FOR UPDATE`;
    return work();
  });

async function waitingForLocks(): Promise<number | undefined> {
  const [row] = await service.sql.$queryRaw<
    { count: number }[]
  >`SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return row?.count;
}

describe('simultaneous updates of one assistant [assistants.8]', () => {
  it(`are all applied: ${AT_ONCE} keys by ${AT_ONCE} merges, in two processes`, async () => {
    const { id } = await service.addAssistant(workspace);
    const answers = await Promise.all(times((i) => patchPatiently(id, { mine: { [`key_${i}`]: i } }, i)));
    expect(statuses(answers)).toEqual([200]);
    expect((await configOf(id)).mine).toEqual(Object.fromEntries(times((i) => [`key_${i}`, i])));
    await eventually(() => {
      const messages = service.bus.received('assistant.updated').filter(({ data }) => data.agent_id === id);
      expect(messages.map(({ data }) => data.version).sort((a, b) => a - b)).toEqual(
        Array.from({ length: AT_ONCE + 1 }, (_, i) => i + 1),
      );
    });
  });

  it('of large assistants are both applied, repeatedly', async () => {
    // Just below the maximum of 256 KiB for a configuration.
    const { id } = await service.addAssistant(workspace, { heavy: 'x'.repeat(240_000) });
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all([0, 1].map((i) => patchPatiently(id, { [`key_${i}`]: round }, i)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(await configOf(id)).toMatchObject({ key_0: round, key_1: round });
    }
    expect((await configOf(id)).heavy).toHaveLength(240_000);
  });

  it('leave the last written settings of a native tool, identical in the entry and in the tool', async () => {
    const { id } = await service.addAssistant(workspace);
    const entry = (i: number) => ({
      enabled: i % 3 > 0,
      smsContentType: 'static',
      smsStaticMessage: `Hello ${i}`,
    });
    const answers = await Promise.all(
      times((i) => patchPatiently(id, { nativeTools: { send_sms: entry(i) } }, i)),
    );
    expect(statuses(answers)).toEqual([200]);
    const config = await configOf(id);
    const { body } = await service.post(workspace, '/v1/tool/list', { agent_id: id });
    const tools = body.data.filter((tool: Json) => tool.tool_name === 'send_sms');
    expect(tools).toEqual([
      expect.objectContaining({ sms_static_message: config.nativeTools.send_sms.smsStaticMessage }),
    ]);
    expect(times(entry)).toContainEqual(config.nativeTools.send_sms);
    expect(config.toolIds.includes(tools[0].id)).toBe(config.nativeTools.send_sms.enabled);
  });

  it('lose no tool that is added concurrently, in any way', async () => {
    const { id } = await service.addAssistant(workspace);
    const change = (i: number): Promise<HttpAnswer> => {
      if (i % 5 > 0) return patchPatiently(id, { mine: { [`key_${i}`]: i } }, i);
      const tool = {
        agent_id: id,
        tool_name: `tool_${i}`,
        endpoint_url: 'https://example.com',
        http_method: 'GET',
      };
      return whenAvailable(() => service.post(workspace, '/v1/tool/custom', tool), [409, 429, 503]);
    };
    const answers = await Promise.all(times(change));
    expect(statuses(answers).sort()).toEqual([200, 201]);
    const { toolIds, mine } = await configOf(id);
    expect(toolIds).toHaveLength(1 + AT_ONCE / 5);
    expect(Object.keys(mine)).toHaveLength(AT_ONCE - AT_ONCE / 5);
  });

  it('answer CONFLICT when the assistant is locked for too long, and succeed afterwards', async () => {
    const before = await service.addAssistant(workspace);
    const answers = await whileHeld(before.id, () =>
      Promise.all([
        patch(before.id, { firstMessage: 'Hi' }),
        service.ask(workspace, 'DELETE', `/v1/assistant/${before.id}`),
      ]),
    );
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [409, 'CONFLICT'],
      [409, 'CONFLICT'],
    ]);
    expect(answers[0]?.body.error.message).toContain('safe to repeat');
    // The assistant was not deleted, so campaigns may use it again.
    expect(service.campaigns.lifted).toEqual([
      { workspaceId: workspace, kind: 'assistant', id: before.id, receipt: '7' },
    ]);
    expect(await configOf(before.id)).toEqual(before.config);
    expect((await patch(before.id, { firstMessage: 'Hi' })).status).toBe(200);
  });

  it('leave connections to others while they wait', async () => {
    const { id } = await service.addAssistant(workspace);
    const { id: quiet } = await service.addAssistant(workspace);
    const { waiting, others } = await whileHeld(id, async () => {
      const waiting = times((i) => patchPatiently(id, { mine: { [`key_${i}`]: i } }));
      // Once one waits for the row, the others queue behind it.
      await eventually(async () => expect(await waitingForLocks()).toBe(1));
      const others = times((i) =>
        i % 2 ? patchPatiently(quiet, { i }) : service.get(workspace, `/v1/assistant/${quiet}`),
      );
      const answers = await Promise.all(others);
      expect(await waitingForLocks()).toBeLessThanOrEqual(1);
      return { waiting, others: answers };
    });
    expect(statuses(others)).toEqual([200]);
    expect(statuses(await Promise.all(waiting))).toEqual([200]);
    expect(Object.keys((await configOf(id)).mine)).toHaveLength(AT_ONCE);
  });

  it('never leave an assistant with a knowledge base that was deleted concurrently', async () => {
    const bases = await Promise.all(
      Array.from({ length: 8 }, () => service.post(workspace, '/v1/knowledge-base', { name: 'Menu' })),
    );
    const { id } = await service.addAssistant(workspace);
    const answers = await Promise.all(
      bases.flatMap(({ body: { data } }, i) => [
        whenAvailable(() => patch(id, { kbStoreIds: [data.id] }, i)),
        whenAvailable(() => service.remove(workspace, `/v1/knowledge-base/${data.id}`), [409, 429, 503]),
      ]),
    );
    // A base that is being deleted may still remain (409) or be gone already (422); its deletion waits for the assistant.
    for (const [i, { status }] of answers.entries())
      expect(i % 2 ? [204] : [200, 409, 422]).toContain(status);
    expect((await configOf(id)).kbStoreIds).toEqual([]);
  });

  it('and its deletion leave nothing, with or without the change', async () => {
    const { id } = await service.addAssistant(workspace);
    const [deletion, ...changes] = await Promise.all([
      whenAvailable(() => service.ask(workspace, 'DELETE', `/v1/assistant/${id}`), [409, 429, 503]),
      ...times((i) =>
        patchPatiently(id, { mine: { [`key_${i}`]: i }, nativeTools: { send_sms: { enabled: true } } }, i),
      ),
    ]);
    expect(deletion?.status).toBe(204);
    for (const { status } of changes) expect([200, 404]).toContain(status);
    expect(await service.sql.$queryRaw`SELECT 1 FROM tools WHERE agent_id = ${id}::uuid`).toEqual([]);
  });
});
