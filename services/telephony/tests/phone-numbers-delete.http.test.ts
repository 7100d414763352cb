import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { createClock } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import type { SipTrunk } from '../src/clients/ports.ts';
import { createTrunkRemovals } from '../src/numbers/trunk-removals.store.ts';
import { removeTrunks } from '../src/numbers/trunks.ts';
import { anyNumber, type Harness, newWorkspace, startHarness } from './harness.ts';
import { callFrom, connectNumber, finished, readCall } from './place-call.ts';
import { seedCall } from './seed-call.ts';

const SID = `AC${'0123456789abcdef'.repeat(2)}`;

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());
beforeEach(() => harness.peers.campaigns.restore());

const remove = (of: string, id: string) => harness.ask(of, 'DELETE', `/v1/phone-number/${id}`);
const read = (of: string, id: string) => harness.ask(of, 'GET', `/v1/phone-number/${id}`);
const deletions = (id: string) =>
  harness.bus.received('phone-number.deleted').filter(({ data }) => data.phone_number_id === id);

describe('DELETE /v1/phone-number/{id}', () => {
  it('[numbers.10] answers 204 without a body, and removes the number', async () => {
    const { workspaceId, id } = await connectNumber(harness);
    const { status, text } = await remove(workspaceId, id);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect((await read(workspaceId, id)).status).toBe(404);
    expect((await remove(workspaceId, id)).status).toBe(404);
    expect(
      await harness.sql.$queryRaw<unknown[]>`SELECT 1 FROM number_clocks WHERE phone_number_id = ${id}::uuid`,
    ).toEqual([]);
  });

  it('publishes phone-number.deleted once, with a higher version than any before', async () => {
    const { workspaceId, id, phoneNumber } = await connectNumber(harness);
    await harness.ask(workspaceId, 'PUT', `/v1/phone-number/${id}`, { body: { max_cps: 2 } });
    await Promise.all([remove(workspaceId, id), remove(workspaceId, id)]);
    await eventually(() =>
      expect(deletions(id)).toMatchObject([
        { workspace_id: workspaceId, data: { phone_number: phoneNumber, version: 3 } },
      ]),
    );
  });

  it('publishes the id as it is stored, whatever its case in the request', async () => {
    const { workspaceId, id } = await connectNumber(harness);
    expect((await remove(workspaceId, id.toUpperCase())).status).toBe(204);
    await eventually(() => expect(deletions(id)).toHaveLength(1));
    expect(harness.peers.retired).toContain(id);
    expect(harness.peers.retired).not.toContain(id.toUpperCase());
  });

  it('[numbers.10] calls keep their numbers and read phone_number_id null', async () => {
    const { workspaceId, id, phoneNumber, agent } = await connectNumber(harness);
    const call = await seedCall(harness.sql, workspaceId, {
      phone_number_id: id,
      from_number: phoneNumber,
      agent_id: agent.agent_id,
    });
    expect((await readCall(harness, workspaceId, call.id)).phone_number_id).toBe(id);
    await remove(workspaceId, id);
    expect(await readCall(harness, workspaceId, call.id)).toMatchObject({
      phone_number_id: null,
      from_number: phoneNumber,
      to_number: call.to_number,
    });
    const legacy = await harness.ask(workspaceId, 'GET', `/calls?callId=${call.id}`);
    expect(legacy.body).toMatchObject({
      phone_number_id: null,
      from_number: phoneNumber,
      phone_numbers: null,
    });
  });

  it('the number can be connected again, also in another workspace', async () => {
    const { workspaceId, id, phoneNumber } = await connectNumber(harness);
    const body = { phone_number: phoneNumber, termination_uri: 'sip.example.com' };
    const other = newWorkspace();
    await remove(workspaceId, id);
    const again = await harness.ask(other, 'POST', '/v1/phone-number/sip', { body });
    expect(again.status).toBe(201);
    expect(again.body.data.id).not.toBe(id);
    expect((await remove(other, again.body.data.id)).status).toBe(204);
    expect((await harness.ask(workspaceId, 'POST', '/v1/phone-number/sip', { body })).status).toBe(201);
  });

  it('[numbers.10] is 409 CONFLICT while a campaign can still dial from it, and reports the campaign and its status', async () => {
    const { workspaceId, id } = await connectNumber(harness);
    const campaign = { campaign_id: randomUUID(), campaign_name: 'Spring sale', status: 'paused' } as const;
    harness.peers.setBlocker(id, campaign);
    const { status, body } = await remove(workspaceId, id);
    expect(status).toBe(409);
    expect(body.error.code).toBe('CONFLICT');
    expect(body.error.message).toContain('Spring sale');
    expect(body.error.message).toContain('paused');
    expect((await read(workspaceId, id)).status).toBe(200);
    harness.peers.setBlocker(id, null);
    expect((await remove(workspaceId, id)).status).toBe(204);
  });

  it('is 503 while campaigns is unavailable, and the number stays', async () => {
    const { workspaceId, id } = await connectNumber(harness);
    harness.peers.campaigns.cut();
    const { status, headers } = await remove(workspaceId, id);
    expect(status).toBe(503);
    expect(headers.get('retry-after')).not.toBeNull();
    expect((await read(workspaceId, id)).status).toBe(200);
    expect(deletions(id)).toEqual([]);
  });

  it("is 404 for another workspace's number, without a call to campaigns, and 422 for a malformed id", async () => {
    const { id } = await connectNumber(harness);
    const asked = harness.peers.retired.length;
    expect((await remove(newWorkspace(), id)).status).toBe(404);
    expect((await remove(newWorkspace(), randomUUID())).status).toBe(404);
    expect((await remove(newWorkspace(), '12')).status).toBe(422);
    expect(harness.peers.retired).toHaveLength(asked);
  });

  it('is 503 when the number stays locked for longer than the retirement is valid', async () => {
    const { workspaceId, id } = await connectNumber(harness);
    const { sql } = harness;
    const held = sql.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM phone_numbers WHERE id = ${id}::uuid FOR UPDATE`;
      await tx.$executeRaw`SELECT pg_sleep(4)`;
    });
    expect((await remove(workspaceId, id)).status).toBe(503);
    await held;
    expect((await read(workspaceId, id)).status).toBe(200);
    // The number was not deleted, so campaigns may dial from it again.
    expect(harness.peers.lifted).toEqual([id]);
  });
});

describe('the SIP trunk of a deleted number', () => {
  const log = createLogger({ service: 'test', level: 'silent' });
  const of = (rowId: string) =>
    harness.sql.$queryRaw<
      { attempts: number; due_at: Date }[]
    >`SELECT attempts, due_at FROM trunk_removals WHERE phone_number_id = ${rowId}::uuid`;

  it('is removed at the carrier, by the service itself', async () => {
    const { workspaceId, id } = await connectNumber(harness);
    await remove(workspaceId, id);
    await eventually(async () => expect(await of(id)).toEqual([]));
  });

  it('is retried with backoff while the carrier does not respond', async () => {
    const id = randomUUID();
    const trunk = { numberId: id, phoneNumber: anyNumber() };
    const start = new Date('2100-01-01T00:00:00Z');
    await harness.sql
      .$executeRaw`INSERT INTO trunk_removals (phone_number_id, phone_number, due_at) VALUES (${id}::uuid, ${trunk.phoneNumber}, ${start})`;
    const asked: SipTrunk[] = [];
    let up = false;
    const carrierNumbers = {
      removeTrunk: async (wanted: SipTrunk) => {
        asked.push(wanted);
        if (!up) throw new Error('the carrier does not answer');
      },
    };
    const runAt = (now: Date) =>
      removeTrunks({
        trunkRemovals: createTrunkRemovals(harness.context.prisma),
        carrierNumbers,
        clock: { ...createClock({ rate: 1, originMs: 0 }), now: () => now },
        log,
      });
    const later = (seconds: number) => new Date(start.getTime() + seconds * 1000);

    expect(await runAt(start)).toBe(true);
    expect(await of(id)).toEqual([{ attempts: 1, due_at: later(30) }]);
    expect(await runAt(later(29))).toBe(false);
    await runAt(later(30));
    expect(await of(id)).toEqual([{ attempts: 2, due_at: later(90) }]);
    up = true;
    await runAt(later(90));
    expect(await of(id)).toEqual([]);
    expect(asked).toEqual([trunk, trunk, trunk]);
  });

  it('of an imported number does not exist: nothing changes at the carrier', async () => {
    const workspaceId = newWorkspace();
    const body = { phone_number: anyNumber(), telco_account_sid: SID, telco_auth_token: 'token' };
    const { id } = (await harness.ask(workspaceId, 'POST', '/v1/phone-number/telco', { body })).body.data;
    const removals = () =>
      harness.sql.$queryRaw<{ id: string }[]>`SELECT phone_number_id AS id FROM trunk_removals`;
    expect((await remove(workspaceId, id)).status).toBe(204);
    expect((await removals()).map((row) => row.id)).not.toContain(id);
  });
});

describe('a queued call from a deleted number', () => {
  it('ends as dial_failed, and is not dialed', async () => {
    const number = await connectNumber(harness, { maxCps: 0.1 });
    // No worker runs yet: it stays queued.
    const callId = await callFrom(harness, number, anyNumber());
    expect((await remove(number.workspaceId, number.id)).status).toBe(204);
    const worker = await harness.boot({ PROCESSES: 'worker' });
    const call = await finished(harness, number.workspaceId, callId);
    expect(call).toMatchObject({
      status: 'completed',
      disconnection_reason: 'dial_failed',
      answered_at: null,
      duration: 0,
      phone_number_id: null,
      from_number: number.phoneNumber,
    });
    expect(
      await harness.sql.$queryRaw<unknown[]>`SELECT 1 FROM simulated_legs WHERE reference = ${callId}::uuid`,
    ).toEqual([]);
    await worker.stop();
  });
});
