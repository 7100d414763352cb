import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { unassignAgent } from '../src/domain/numbers/unassign-agent.ts';
import { createNumberStore } from '../src/store/numbers.ts';
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

describe('unassignAgent (D3.1)', () => {
  it('takes a deleted assistant from the numbers that name it, and says so', async () => {
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
        .heard('phone-number.updated')
        .filter(({ data }) => data.phone_number_id === both.id);
      expect(versions.at(-1)?.data).toMatchObject({
        version: 2,
        inbound_agent_id: null,
        outbound_agent_id: stays,
      });
    });
  });
});
