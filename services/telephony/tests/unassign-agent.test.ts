import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, sqlClient } from '@parley/testkit';
import { unassignAgent } from '../src/numbers/change-number.ts';
import { createNumberStore } from '../src/numbers/numbers.store.ts';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';

let harness: Harness;
const workspace = newWorkspace();

beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

async function connect(fields: object): Promise<Json> {
  const body = { phone_number: anyNumber(), termination_uri: 'sip.example.com', ...fields };
  return (await harness.ask(workspace, 'POST', '/v1/phone-number/sip', { body })).body.data;
}

describe('[assistants.2] unassignAgent', () => {
  it('removes a deleted assistant from its numbers and publishes the change', async () => {
    const gone = harness.peers.addAgent(workspace).agent_id;
    const stays = harness.peers.addAgent(workspace).agent_id;
    const both = await connect({ inbound_agent_id: gone, outbound_agent_id: stays });
    const untouched = await connect({ outbound_agent_id: stays });
    const { prisma, clock, outbox } = harness.context;
    const deps = { numbers: createNumberStore(prisma), clock };
    await outbox.transaction((tx) => unassignAgent(tx, deps, { workspaceId: workspace, agentId: gone }));

    const read = async (id: string) =>
      (await harness.ask(workspace, 'GET', `/v1/phone-number/${id}`)).body.data;
    expect(await read(both.id)).toMatchObject({ inbound_agent_id: null, outbound_agent_id: stays });
    expect(await read(untouched.id)).toEqual(untouched);
    await eventually(() => {
      const versions = harness.bus
        .received('phone-number.updated')
        .filter(({ data }) => data.phone_number_id === both.id);
      expect(versions.at(-1)?.data).toMatchObject({
        version: 2,
        inbound_agent_id: null,
        outbound_agent_id: stays,
      });
    });
  });
});

describe('assistant.deleted, and a number assigned to the assistant concurrently', () => {
  beforeAll(async () => {
    // Workers consume messages.
    await harness.boot({ PROCESSES: 'worker' });
  });

  const read = async (id: string): Promise<Json> =>
    (await harness.ask(workspace, 'GET', `/v1/phone-number/${id}`)).body.data;
  const assign = (id: string, agentId: string) =>
    harness.ask(workspace, 'PUT', `/v1/phone-number/${id}`, { body: { inbound_agent_id: agentId } });
  const sayDeleted = (agent_id: string) =>
    harness.bus.publish('assistant.deleted', workspace, { agent_id, version: 2 });
  /** How many statements wait for a lock. */
  const waiting = async (query: string): Promise<number> => {
    const rows = await harness.sql.$queryRaw<Json[]>`SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND position(${query} IN query) > 0`;
    return rows.length;
  };
  /** Locks the number's row until the returned function is called. */
  const hold = async (id: string): Promise<() => Promise<void>> => {
    const other = sqlClient(harness.databaseUrl, { max: 1 });
    await other.$executeRaw`BEGIN`;
    await other.$executeRaw`SELECT FROM phone_numbers WHERE id = ${id}::uuid FOR UPDATE`;
    return async () => {
      await other.$executeRaw`COMMIT`;
      await other.close();
    };
  };

  it('if the assignment comes first, the message unassigns it', async () => {
    const { agent_id } = harness.peers.addAgent(workspace);
    const number = await connect({});
    const release = await hold(number.id);
    const assignment = assign(number.id, agent_id);
    await eventually(async () => expect(await waiting('FROM phone_numbers n')).toBe(1));
    await sayDeleted(agent_id);
    await eventually(async () => expect(await waiting('INSERT INTO agents')).toBe(1));
    await release();
    expect((await assignment).body.data).toMatchObject({ inbound_agent_id: agent_id });
    await eventually(async () => expect((await read(number.id)).inbound_agent_id).toBeNull());
  });

  it('if the message comes first, the assignment is 422, although assistants had just found the assistant', async () => {
    const { agent_id } = harness.peers.addAgent(workspace);
    const named = await connect({ outbound_agent_id: agent_id });
    const number = await connect({});
    const release = await hold(named.id);
    await sayDeleted(agent_id);
    await eventually(async () => expect(await waiting('FROM phone_numbers n')).toBe(1));
    const assignment = assign(number.id, agent_id);
    await eventually(async () => expect(await waiting('INSERT INTO agents')).toBe(1));
    await release();
    const { status, body } = await assignment;
    expect([status, body.error.details]).toMatchObject([
      422,
      [{ path: 'inbound_agent_id', code: 'unknown_id' }],
    ]);
    expect((await read(number.id)).inbound_agent_id).toBeNull();
    await eventually(async () => expect((await read(named.id)).outbound_agent_id).toBeNull());
  });
});
