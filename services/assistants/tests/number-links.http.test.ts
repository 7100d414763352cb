import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@parley/kit/ids';
import { eventually } from '@parley/testkit';
import { type Harness, type Json, newWorkspace, startHarness } from './harness.ts';

let service: Harness;

beforeAll(async () => {
  service = await startHarness();
});
afterEach(async () => {
  await service.sql.$executeRaw`DELETE FROM number_links`;
  service.telephony.numbers.clear();
  service.telephony.beforeAnswer = async () => {};
});
afterAll(() => service.close());

type Number = Parameters<Harness['telephony']['numbers']['set']>[1];

const NAMES_NOBODY = { inbound_agent_id: null, outbound_agent_id: null };
const numberOf = (workspace_id: string, more: Partial<Number> = {}): Number => ({
  phone_number_id: newId(),
  workspace_id,
  phone_number: `+1415${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`,
  version: 1,
  ...NAMES_NOBODY,
  is_active: true,
  ...more,
});
/** Stores the number at the fake of telephony. */
const has = (number: Number): Number => {
  service.telephony.numbers.set(number.phone_number_id, number);
  return number;
};
/** Publishes `phone-number.updated`. */
const publish = ({ workspace_id, ...number }: Number) =>
  service.bus.publish('phone-number.updated', workspace_id, number);

const step = async (after: string | null): Promise<Json> => {
  const answer = await service.callAsService(newWorkspace(), 'POST', '/internal/number-links/rebuild', {
    after,
  });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
};
const rebuild = async (): Promise<{ taken: number; removed: number; steps: number }> => {
  const sums = { taken: 0, removed: 0, steps: 0 };
  for (let after: string | null = null; after !== null || sums.steps === 0; sums.steps += 1) {
    const { taken, removed, next } = await step(after);
    sums.taken += taken;
    sums.removed += removed;
    after = next;
  }
  return sums;
};
const listed = async (workspace: string, id: string): Promise<[string | null, string | null]> => {
  const { body } = await service.post(workspace, '/v1/assistant/list', { size: 100 });
  const item = body.data.find((found: Json) => found.id === id);
  return [item.inbound_phone_number, item.outbound_phone_number];
};
const workspaceWith = async (count: number): Promise<{ workspace: string; ids: string[] }> => {
  const workspace = newWorkspace();
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push((await service.addAssistant(workspace)).id);
  return { workspace, ids };
};

describe('POST /internal/number-links/rebuild', () => {
  it('restores numbers whose messages were lost, with their assistants', async () => {
    const { workspace, ids } = await workspaceWith(2);
    const [ann = '', bob = ''] = ids;
    const one = has(numberOf(workspace, { inbound_agent_id: ann, outbound_agent_id: bob }));
    const two = has(numberOf(workspace, { inbound_agent_id: bob, version: 7 }));
    expect(await rebuild()).toMatchObject({ taken: 2, removed: 0 });
    expect(await listed(workspace, ann)).toEqual([one.phone_number, null]);
    expect(await listed(workspace, bob)).toEqual([two.phone_number, one.phone_number]);
    expect(await rebuild()).toMatchObject({ taken: 0, removed: 0 });
  });

  it('applies a change whose message was lost', async () => {
    const { workspace, ids } = await workspaceWith(2);
    const [ann = '', bob = ''] = ids;
    const number = has(numberOf(workspace, { inbound_agent_id: ann, outbound_agent_id: ann }));
    await rebuild();
    has({ ...number, version: 2, inbound_agent_id: bob, outbound_agent_id: null });
    await rebuild();
    expect(await listed(workspace, ann)).toEqual([null, null]);
    expect(await listed(workspace, bob)).toEqual([number.phone_number, null]);
  });

  it('removes a number whose deletion was missed', async () => {
    const { workspace, ids } = await workspaceWith(1);
    const [ann = ''] = ids;
    const stays = has(numberOf(workspace, { outbound_agent_id: ann }));
    await publish(numberOf(workspace, { inbound_agent_id: ann, phone_number: '+14155550123' }));
    await eventually(async () => expect((await listed(workspace, ann))[0]).toBe('+14155550123'));
    expect(await rebuild()).toMatchObject({ removed: 1 });
    expect(await listed(workspace, ann)).toEqual([null, stays.phone_number]);
  });

  it('removes it permanently: late earlier messages do not restore it', async () => {
    const { workspace, ids } = await workspaceWith(1);
    const [ann = ''] = ids;
    const gone = numberOf(workspace, { inbound_agent_id: ann });
    await publish(gone);
    await eventually(async () => expect((await listed(workspace, ann))[0]).toBe(gone.phone_number));
    expect(await rebuild()).toMatchObject({ removed: 1 });
    await consumed(await publish({ ...gone, version: 2 }));
    expect(await listed(workspace, ann)).toEqual([null, null]);
    expect(await rebuild()).toMatchObject({ taken: 0, removed: 0 });
  });

  it('keeps what a newer message changed while telephony was being read', async () => {
    const { workspace, ids } = await workspaceWith(2);
    const [ann = '', bob = ''] = ids;
    const number = has(numberOf(workspace, { inbound_agent_id: ann }));
    const young = numberOf(workspace, { outbound_agent_id: ann });
    service.telephony.beforeAnswer = async () => {
      service.telephony.beforeAnswer = async () => {};
      await publish({ ...number, inbound_agent_id: bob, version: 2 });
      // Created and published after telephony has read its response.
      await publish(young);
      await eventually(async () => {
        expect(await listed(workspace, bob)).toEqual([number.phone_number, null]);
        expect(await listed(workspace, ann)).toEqual([null, young.phone_number]);
      });
    };
    expect(await rebuild()).toMatchObject({ taken: 0, removed: 0 });
    expect(await listed(workspace, bob)).toEqual([number.phone_number, null]);
    expect(await listed(workspace, ann)).toEqual([null, young.phone_number]);
  });

  it('makes late and repeated messages harmless', async () => {
    const { workspace, ids } = await workspaceWith(1);
    const [ann = ''] = ids;
    const number = has(numberOf(workspace, { version: 5 }));
    await rebuild();
    const late = await publish({ ...number, inbound_agent_id: ann, version: 4 });
    await consumed(late);
    expect(await listed(workspace, ann)).toEqual([null, null]);
  });

  it('shows no number of another workspace, and none of a deleted assistant', async () => {
    const { workspace, ids } = await workspaceWith(2);
    const [ann = '', bob = ''] = ids;
    has(numberOf(newWorkspace(), { inbound_agent_id: ann }));
    has(numberOf(workspace, { inbound_agent_id: bob }));
    await service.remove(workspace, `/v1/assistant/${bob}`);
    await rebuild();
    expect(await listed(workspace, ann)).toEqual([null, null]);
  });

  it('reads any number of them in steps', async () => {
    const { workspace, ids } = await workspaceWith(1);
    const [ann = ''] = ids;
    const numbers = Array.from({ length: 1_203 }, () => has(numberOf(workspace, { inbound_agent_id: ann })));
    expect(await rebuild()).toEqual({ taken: 1_203, removed: 0, steps: 3 });
    // First the copy has more numbers than telephony, then fewer.
    for (const { phone_number_id } of numbers.slice(100, 1_200))
      service.telephony.numbers.delete(phone_number_id);
    expect(await rebuild()).toEqual({ taken: 0, removed: 1_100, steps: 3 });
    for (let i = 0; i < 600; i += 1) has(numberOf(workspace, { outbound_agent_id: ann }));
    expect(await rebuild()).toMatchObject({ taken: 600, removed: 0 });
    expect(await namingOf(workspace)).toBe(703);
  });

  it('reports that telephony is unavailable', async () => {
    service.telephony.link.cut();
    const answer = await service.callAsService(newWorkspace(), 'POST', '/internal/number-links/rebuild', {
      after: null,
    });
    await service.telephony.link.restore();
    expect(answer.status).toBe(503);
  });

  it('is for other services and the operator only', async () => {
    const answer = await service.post(newWorkspace(), '/internal/number-links/rebuild', { after: null });
    expect(answer.status).toBe(403);
  });
});

describe('a process at its start', () => {
  it('repairs the copy, even if several processes start together', async () => {
    const { workspace, ids } = await workspaceWith(1);
    const [ann = ''] = ids;
    const number = has(numberOf(workspace, { inbound_agent_id: ann }));
    await publish(numberOf(workspace, { outbound_agent_id: ann, phone_number: '+14155550124' }));
    await eventually(async () => expect((await listed(workspace, ann))[1]).toBe('+14155550124'));
    await Promise.all([service.boot(), service.boot()]);
    await eventually(async () => expect(await listed(workspace, ann)).toEqual([number.phone_number, null]));
  });
});

const consumed = (messageId: string) =>
  eventually(async () => {
    const rows = await service.sql.$queryRaw<Json[]>`SELECT FROM inbox WHERE message_id = ${messageId}`;
    expect(rows).toHaveLength(1);
  });

/** How many of its numbers have an assistant. */
async function namingOf(workspace: string): Promise<number> {
  const rows = await service.sql.$queryRaw<
    Json[]
  >`SELECT FROM number_links WHERE workspace_id = ${workspace} AND num_nonnulls(inbound_agent_id, outbound_agent_id) > 0`;
  return rows.length;
}
