import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { raw } from '@parley/kit/db';
import { walkTable } from '@parley/kit/removal';
import { eventually } from '@parley/testkit';
import { createCallerStore } from '../src/carriers/simulator/caller-store.ts';
import { eraseDials } from '../src/removal/erase-undialed.store.ts';
import { anyNumber, type Harness, newWorkspace, startHarness } from './harness.ts';
import { connectNumber, requestDial } from './place-call.ts';
import { LIVE, seedCall } from './seed-call.ts';

// Data of a person that no call leads to: dials that never became one, and simulated callers whom no assistant answered [trust.19].

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ PROCESSES: 'api' });
});
afterAll(() => harness.close());

const remove = (workspaceId: string, phoneNumber: string) => {
  const path = `/internal/removals/${randomUUID()}/advance`;
  const body = { pass: 1, phone_number: phoneNumber, keep_do_not_call: true };
  return eventually(async () => {
    const { body: answer } = await harness.callAsService(workspaceId, 'POST', path, body);
    expect(answer.data).toMatchObject({ done: true });
  });
};

const createWorker = async (): Promise<string> => {
  const workerId = randomUUID();
  await harness.sql.$executeRaw`
    INSERT INTO call_workers (id, expires_at) VALUES (${workerId}::uuid, now() + interval '1 hour')`;
  return workerId;
};

const NAME = 'Wilhelmina';

type Dial = { state: string; to: string; workspaceId?: string; variables?: object };
const seedDial = async ({ state, to, workspaceId, variables = { contact_name: NAME } }: Dial) => {
  const id = randomUUID();
  await harness.sql.$executeRaw`
    INSERT INTO dial_requests (call_id, workspace_id, phone_number_id, campaign_id, contact_id, generation, agent_id, to_number,
      dynamic_variables, state, requested_at)
    VALUES (${id}::uuid, ${workspaceId}::uuid, ${randomUUID()}::uuid, ${randomUUID()}::uuid, ${randomUUID()}::uuid, 1,
      ${randomUUID()}::uuid, ${to}, ${JSON.stringify(variables)}::jsonb, ${state}, now())`;
  return id;
};
const dialOf = async (id: string) =>
  (
    await harness.sql.$queryRaw<{ to_number: string; dynamic_variables: unknown; state: string }[]>`
    SELECT to_number, dynamic_variables, state FROM dial_requests WHERE call_id = ${id}::uuid`
  )[0];

it.each(['refused', 'withdrawn', 'waiting'])(
  'the person is removed from a dial that is %s [trust.19]',
  async (state) => {
    const [workspaceId, person, other] = [newWorkspace(), anyNumber(), anyNumber()];
    const mine = await seedDial({ state, to: person, workspaceId });
    const mentioned = await seedDial({ state, to: other, workspaceId, variables: { NAME, ask: person } });
    const theirs = await seedDial({ state, to: person, workspaceId: newWorkspace() });
    await remove(workspaceId, person);
    expect(await dialOf(mine)).toEqual({
      to_number: '',
      dynamic_variables: {},
      state: state === 'waiting' ? 'refused' : state,
    });
    const ask = `+1${'0'.repeat(person.length - 2)}`;
    expect(await dialOf(mentioned)).toEqual({ to_number: other, dynamic_variables: { NAME, ask }, state });
    expect(await dialOf(theirs)).toMatchObject({
      to_number: person,
      dynamic_variables: { contact_name: NAME },
    });
  },
);

it('the person is removed from a dial that waits again by the next pass', async () => {
  const [workspaceId, phoneNumber] = [newWorkspace(), anyNumber()];
  const id = await seedDial({ state: 'waiting', to: phoneNumber, workspaceId });
  const subject = { removalId: randomUUID(), workspaceId, phoneNumber, keepDoNotCall: true };
  const run = async () => {
    let cursor: string | null = null;
    const waiting: unknown[] = [];
    do {
      const result = await harness.context.outbox.transaction((tx) =>
        walkTable('dial_requests', [eraseDials])(tx, { ...subject, sinceXid: null, halvings: 0 }, cursor),
      );
      waiting.push(result.waiting);
      cursor = result.next;
    } while (cursor !== null);
    return waiting;
  };
  expect(await run()).toContain('a dial that waits');
  expect(await dialOf(id)).toMatchObject({ state: 'waiting', to_number: phoneNumber });
  await remove(workspaceId, phoneNumber);
  expect(await dialOf(id)).toMatchObject({ state: 'refused', to_number: '' });
  expect((await run()).every((waiting) => waiting === null)).toBe(true);
});

it('a dial whose call may be undone keeps its number until the call is erased', async () => {
  const [workspaceId, person] = [newWorkspace(), anyNumber()];
  const worker_id = await createWorker();
  const id = await seedDial({ state: 'dialled', to: person, workspaceId });
  await seedCall(harness.sql, workspaceId, { ...LIVE, id, worker_id, phase: 'dialing', to_number: person });
  await remove(workspaceId, person);
  expect(await dialOf(id)).toMatchObject({ state: 'dialled', to_number: person });
  await harness.sql.$executeRaw`
    UPDATE calls SET status = 'completed', phase = 'ended', ended_at = now(), duration = 0, cost = 0,
      disconnection_reason = 'dial_failed' WHERE id = ${id}::uuid`;
  await remove(workspaceId, person);
  expect(await dialOf(id)).toMatchObject({ to_number: '', dynamic_variables: {} });
});

it('the person is removed from a dial whose number an erasure of the version before has masked', async () => {
  const workspaceId = newWorkspace();
  const masked = await seedDial({ state: 'refused', to: '+10000000000', workspaceId });
  const other = await seedDial({ state: 'refused', to: anyNumber(), workspaceId });
  const migration = new URL(
    '../prisma/migrations/20261201110000_erased_dials/migration.sql',
    import.meta.url,
  );
  await harness.sql.$executeRaw`${raw(await readFile(migration, 'utf8'))}`;
  expect(await dialOf(masked)).toMatchObject({ to_number: '', dynamic_variables: {} });
  expect(await dialOf(other)).toMatchObject({ dynamic_variables: { contact_name: NAME } });
});

it('the person is removed from simulated legs, also of a call that goes on [trust.19]', async () => {
  const [workspaceId, person, other] = [newWorkspace(), anyNumber(), anyNumber()];
  const live = await seedCall(harness.sql, workspaceId, { ...LIVE, worker_id: await createWorker() });
  const seedLeg = async (reference: string, from: string, line: string) => {
    await harness.sql.$executeRaw`
      INSERT INTO simulated_legs (id, reference, workspace_id, from_number, to_number, ordinal, originated_at, direction, gives_up_at,
        script, taken)
      VALUES (${randomUUID()}::uuid, ${reference}::uuid, ${workspaceId}::uuid, ${from}, ${anyNumber()}, 0, now(), 'inbound', now(),
        ${JSON.stringify([line])}::json, true)`;
    return async () =>
      (
        await harness.sql.$queryRaw<{ from: string; script: unknown }[]>`
        SELECT from_number AS from, script FROM simulated_legs WHERE reference = ${reference}::uuid`
      )[0];
  };
  const mentioning = await seedLeg(live.id, other, `Call 00${person.slice(1)}`);
  const unanswered = await seedLeg(randomUUID(), person, `This is ${NAME}`);
  const unrelated = await seedLeg(randomUUID(), other, `This is ${NAME}`);
  await remove(workspaceId, person);
  const mask = `1${'0'.repeat(person.length - 2)}`;
  expect(await mentioning()).toEqual({ from: other, script: [`Call ${mask}`] });
  expect(await unanswered()).toEqual({ from: '', script: null });
  expect(await unrelated()).toEqual({ from: other, script: [`This is ${NAME}`] });
});

it('a simulated caller whom no worker has taken is waited for until it gives up, and then makes no call [trust.19]', async () => {
  const [workspaceId, person, removalId] = [newWorkspace(), anyNumber(), randomUUID()];
  const reference = randomUUID();
  const leg = {
    ...{ legId: randomUUID(), reference, workspaceId, from: person, to: anyNumber(), script: [NAME] },
    ...{ at: new Date(), givesUpAt: new Date(Date.now() + 3_600_000) },
  };
  const { prisma, outbox } = harness.context;
  const callers = createCallerStore(prisma);
  await outbox.transaction((tx) => callers.insert(tx, leg));
  const advance = async () => {
    const body = { pass: 1, phone_number: person, keep_do_not_call: true };
    const path = `/internal/removals/${removalId}/advance`;
    return (await harness.callAsService(workspaceId, 'POST', path, body)).body.data;
  };
  const legNow = async () =>
    (
      await harness.sql.$queryRaw<{ from: string; script: unknown }[]>`
      SELECT from_number AS from, script FROM simulated_legs WHERE reference = ${reference}::uuid`
    )[0];
  const waits = { waiting: 'a simulated caller whom no worker has taken' };
  await eventually(async () => expect(await advance()).toMatchObject(waits));
  expect(await legNow()).toEqual({ from: person, script: [NAME] });
  await harness.sql.$executeRaw`
    UPDATE simulated_legs SET gives_up_at = now() - interval '1 minute' WHERE reference = ${reference}::uuid`;
  // A worker may be about to insert the call.
  expect((await callers.offer(100)).map((offered) => offered.reference)).toContain(reference);
  await remove(workspaceId, person);
  expect(await legNow()).toEqual({ from: person, script: [NAME] });
  await harness.sql.$executeRaw`
    UPDATE simulated_legs SET offered_until = now() - interval '1 second' WHERE reference = ${reference}::uuid`;
  await remove(workspaceId, person);
  expect(await legNow()).toEqual({ from: '', script: null });
  expect((await callers.offer(100)).map((offered) => offered.reference)).not.toContain(reference);
});

it('nothing is stored of a dial that a campaign has requested before the erasure, and that is consumed after it', async () => {
  // Last, since its worker refuses the dials that others leave waiting.
  await harness.boot({ PROCESSES: 'worker' });
  const number = await connectNumber(harness);
  const person = anyNumber();
  await remove(number.workspaceId, person);
  const request = { to_number: person, dynamic_variables: { contact_name: NAME } };
  const refusalsOf = (id: string) =>
    harness.bus.received('dial.refused').filter(({ data }) => data.call_id === id);
  // Consumers may remember for a second that nothing was erased.
  const refused = await eventually(async () => {
    const { call_id: id } = await requestDial(harness, number, request);
    await eventually(() => expect(refusalsOf(id)).toHaveLength(1), { timeoutMs: 1_000 });
    return refusalsOf(id);
  });
  expect(JSON.stringify(refused)).not.toContain(NAME);
  expect(await dialOf(refused[0]?.data.call_id ?? '')).toBeUndefined();
});
