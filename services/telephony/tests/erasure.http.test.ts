import { randomUUID } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { createSegments } from '../src/after-call/recordings/live/segments.store.ts';
import { anyNumber, type Harness, newWorkspace, startHarness } from './harness.ts';
import { LIVE, seedCall } from './seed-call.ts';

// The data of calls with audio, in addition to that of tests/erasure.test.ts and of erased-recordings.test.ts [trust.19].

let harness: Harness;
let live: string;
beforeAll(async () => {
  harness = await startHarness();
  live = join(harness.env.RECORDINGS_DIR ?? '', 'live');
  await mkdir(live, { recursive: true });
});
afterAll(() => harness.close());

const remove = (workspaceId: string, phoneNumber: string | null) => {
  const id = randomUUID();
  return eventually(async () => {
    const body = { pass: 1, phone_number: phoneNumber, keep_do_not_call: true };
    const { body: answer } = await harness.callAsService(
      workspaceId,
      'POST',
      `/internal/removals/${id}/advance`,
      body,
    );
    expect(answer.data).toMatchObject({ done: true });
  });
};

describe('calls with audio', () => {
  /** A call whose worker died before it stored the recording that it made during the call. */
  const seedSpoken = async (workspaceId: string, fields: Record<string, unknown>) => {
    const { id } = await seedCall(harness.sql, workspaceId, fields);
    const segment = { id, callId: id, workspaceId, workerId: randomUUID(), startMs: 0, sampleRate: 8_000 };
    await createSegments(harness.context.prisma).begin(segment);
    await writeFile(join(live, `${id}.wav`), 'what was said');
    return id;
  };
  const stateOf = async (id: string) =>
    (
      await harness.sql.$queryRaw<{ carrier_state: unknown }[]>`
      SELECT carrier_state FROM calls WHERE id = ${id}::uuid`
    )[0]?.carrier_state;
  const files = () => readdir(live);

  it('of an erased person lose their unfinished recording and line state, and others do not', async () => {
    const workspaceId = newWorkspace();
    const [person, other] = [anyNumber(), anyNumber()];
    const carrier_state = { spoken: [`call me at ${person}`] };
    const mine = await seedSpoken(workspaceId, { to_number: person, carrier_state });
    const mentioned = await seedSpoken(workspaceId, { to_number: other, carrier_state });
    await harness.sql.$executeRaw`
      INSERT INTO turns (call_id, seq, role, content, at) VALUES (${mentioned}::uuid, 1, 'user', ${person}, now())`;
    const theirs = await seedSpoken(newWorkspace(), { to_number: person, carrier_state });
    await remove(workspaceId, person);
    expect(await files()).toEqual([`${theirs}.wav`]);
    expect(await stateOf(mine)).toBeNull();
    expect(JSON.stringify(await stateOf(mentioned))).not.toContain(person.slice(1));
    expect(await stateOf(theirs)).toEqual(carrier_state);
  });

  it('are removed with their workspace', async () => {
    const workspaceId = newWorkspace();
    const id = await seedSpoken(workspaceId, {});
    await remove(workspaceId, null);
    expect(await files()).not.toContain(`${id}.wav`);
  });

  it('lose recorded audio that is no longer needed', async () => {
    const workspaceId = newWorkspace();
    const [over, due, talking] = [
      await seedSpoken(workspaceId, {}),
      await seedSpoken(workspaceId, {}),
      await seedSpoken(workspaceId, LIVE),
    ];
    await harness.sql.$executeRaw`INSERT INTO recording_jobs (call_id, due_at) VALUES (${due}::uuid, now())`;
    const segments = createSegments(harness.context.prisma);
    await segments.markAbandoned();
    const removable = (await segments.removableBy(null)).map(({ id }) => id);
    expect([over, due, talking].map((id) => removable.includes(id))).toEqual([true, false, false]);
  });
});
