import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AssistantSnapshot } from '@parley/contracts';
import { eventually } from '@parley/testkit';
import { createSnapshotArchive } from '../src/assistants/snapshot-archive.store.ts';
import { anyNumber, type Harness, startHarness } from './harness.ts';
import {
  type ConnectedNumber,
  callFrom,
  connectNumber,
  FAST,
  finished,
  readCall,
  type Settings,
} from './place-call.ts';

let harness: Harness;
let worker: Awaited<ReturnType<Harness['boot']>>;
const bootWorker = () => harness.boot({ PROCESSES: 'worker' });

beforeAll(async () => {
  harness = await startHarness({ ...FAST, PROCESSES: 'api' });
  worker = await bootWorker();
});
afterAll(() => harness.close());

/** Changes the assistant without publishing an event. */
function change({ workspaceId, agent }: ConnectedNumber, firstMessage: string, settings: Settings = {}) {
  const config = {
    ...agent.config,
    firstMessage,
    settings: { ...(agent.config.settings as Settings), ...settings },
  };
  return harness.peers.addAgent(workspaceId, { ...agent, version: agent.version + 1, config });
}

const say = (workspaceId: string, { agent_id, agent_name, version, webhook_url }: AssistantSnapshot) =>
  harness.bus.publish('assistant.updated', workspaceId, { agent_id, agent_name, version, webhook_url });

const sayDeleted = async ({ workspaceId, agent }: ConnectedNumber): Promise<void> => {
  harness.peers.removeAgent(agent.agent_id);
  const { agent_id, version } = agent;
  await harness.bus.publish('assistant.deleted', workspaceId, { agent_id, version: version + 1 });
  await eventually(async () =>
    expect(await publishedEventsOf(agent_id)).toEqual({ version: version + 1, deleted: true }),
  );
};

const publishedEventsOf = async (agentId: string) => {
  const [row] = await harness.sql.$queryRaw<
    unknown[]
  >`SELECT version, deleted FROM agents WHERE agent_id = ${agentId}::uuid`;
  return row;
};

const untilTalking = (number: ConnectedNumber, id: string) =>
  eventually(async () => {
    const turns = await harness.sql.$queryRaw<unknown[]>`SELECT 1 FROM turns WHERE call_id = ${id}::uuid`;
    expect(turns.length).toBeGreaterThanOrEqual(2);
    expect((await readCall(harness, number.workspaceId, id)).status).toBe('in-progress');
  });

const versionOf = (callId: string): number | undefined =>
  harness.bus.received('call.ended').find(({ data }) => data.call_id === callId)?.data.agent?.version;

const firstLineOf = async (number: ConnectedNumber, callId: string): Promise<string> => {
  const call = await finished(harness, number.workspaceId, callId);
  return call.transcript_json.conversation[0].content;
};

describe('a call in progress', () => {
  it('keeps the assistant that it began with, in any worker; the next call has the change', async () => {
    const number = await connectNumber(harness, { settings: { maxCallDuration: 240 } });
    number.agent.config.firstMessage = 'The first.';
    const id = await callFrom(harness, number, anyNumber('0007'));
    await untilTalking(number, id);
    await say(number.workspaceId, change(number, 'The second.', { maxCallDuration: 30 }));
    await eventually(async () =>
      expect(await publishedEventsOf(number.agent.agent_id)).toMatchObject({ version: 2 }),
    );
    // The worker that continues the call uses the stored snapshot.
    const another = await bootWorker();
    await worker.stop();
    worker = another;
    const next = await callFrom(harness, number, anyNumber('0007'));
    const [before, after] = [
      await finished(harness, number.workspaceId, id),
      await finished(harness, number.workspaceId, next),
    ];
    expect([before.transcript_json.conversation[0].content, versionOf(id)]).toEqual(['The first.', 1]);
    expect([after.transcript_json.conversation[0].content, versionOf(next)]).toEqual(['The second.', 2]);
    expect([before.disconnection_reason, after.disconnection_reason]).toEqual(['timeout', 'timeout']);
    expect(before.duration).toBeGreaterThanOrEqual(240);
    expect(after.duration).toBeLessThan(240);
  });

  it('continues when its assistant is deleted; no other begins', async () => {
    const number = await connectNumber(harness, { settings: { maxCallDuration: 200 } });
    const id = await callFrom(harness, number, anyNumber('0007'));
    await untilTalking(number, id);
    await sayDeleted(number);
    const body = { from_number: number.phoneNumber, to_number: anyNumber(), agent_id: number.agent.agent_id };
    expect((await harness.ask(number.workspaceId, 'POST', '/v2/call', { body })).status).toBe(404);
    const call = await finished(harness, number.workspaceId, id);
    expect([call.disconnection_reason, call.agent_name]).toEqual(['timeout', null]);
  });
});

describe('a call placed after a change', () => {
  it('has it, however recently the assistant was used, whether or not the message has arrived', async () => {
    const number = await connectNumber(harness);
    const seen: string[] = [];
    let current = number;
    for (const line of ['One.', 'Two.', 'Three.', 'Four.']) {
      const agent = change(current, line);
      current = { ...number, agent };
      const id = await callFrom(harness, number, anyNumber('0008'));
      // The dialer asks at most every half second: the one before keeps it from asking by itself.
      await eventually(
        async () => expect((await readCall(harness, number.workspaceId, id)).status).not.toBe('queued'),
        { everyMs: 5 },
      );
      seen.push(id);
    }
    const lines = await Promise.all(seen.map((id) => firstLineOf(number, id)));
    expect(lines).toEqual(['One.', 'Two.', 'Three.', 'Four.']);
  });

  it('waits while assistants is unavailable, and then has it; without a change it uses the last known version', async () => {
    const [changed, same] = [await connectNumber(harness), await connectNumber(harness)];
    for (const number of [changed, same])
      await finished(harness, number.workspaceId, await callFrom(harness, number, anyNumber('0008')));
    const agent = change(changed, 'Changed.');
    await say(changed.workspaceId, agent);
    await eventually(async () =>
      expect(await publishedEventsOf(agent.agent_id)).toMatchObject({ version: 2 }),
    );
    harness.peers.assistants.cut();
    const [waiting, dialed] = [
      await callFrom(harness, changed, anyNumber('0008')),
      await callFrom(harness, same, anyNumber('0008')),
    ];
    expect((await finished(harness, same.workspaceId, dialed)).status).toBe('completed');
    expect((await readCall(harness, changed.workspaceId, waiting)).status).toBe('queued');
    harness.peers.assistants.restore();
    expect(await firstLineOf(changed, waiting)).toBe('Changed.');
  });
});

describe('unused snapshots', () => {
  it('are removed a day after a newer one, or after the deletion, and no sooner', async () => {
    const [changed, deleted] = [await connectNumber(harness), await connectNumber(harness)];
    const kept = async ({ agent }: ConnectedNumber) =>
      (
        await harness.sql.$queryRaw<
          unknown[]
        >`SELECT 1 FROM agent_snapshots WHERE agent_id = ${agent.agent_id}::uuid`
      ).length;
    for (const number of [changed, deleted])
      await finished(harness, number.workspaceId, await callFrom(harness, number, anyNumber('0008')));
    await say(changed.workspaceId, change(changed, 'Changed.'));
    await finished(harness, changed.workspaceId, await callFrom(harness, changed, anyNumber('0008')));
    await sayDeleted(deleted);
    expect([await kept(changed), await kept(deleted)]).toEqual([2, 1]);
    const { prisma, secrets, clock } = harness.context;
    const archive = createSnapshotArchive({ prisma, secrets, clock });
    await archive.forgetOld(new Date(clock.now().getTime() - 24 * 3_600_000));
    expect([await kept(changed), await kept(deleted)]).toEqual([2, 1]);
    await archive.forgetOld(clock.now());
    expect([await kept(changed), await kept(deleted)]).toEqual([1, 0]);
  });
});
