import { randomUUID } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { queryRow, raw, sql } from '@parley/kit/db';
import { eventually } from '@parley/testkit';
import { z } from 'zod';
import {
  type AnalysisQueue,
  createAnalysisQueue,
  voidAnalyses,
} from '../src/after-call/analysis/analysis-queue.store.ts';
import { analyzeDue, claimAnalyses } from '../src/after-call/analysis/analyze-due.ts';
import { createSegments } from '../src/after-call/recordings/live/segments.store.ts';
import { createSnapshotArchive } from '../src/assistants/snapshot-archive.store.ts';
import { createLegStates } from '../src/carriers/leg-state.store.ts';
import { chooseCarriers } from '../src/carriers/registry.ts';
import { createDialStore } from '../src/dialer/dials.store.ts';
import { type DecideDeps, decideAnswer } from '../src/inbound/decide-answer.ts';
import { createInboundCalls } from '../src/inbound/inbound-calls.store.ts';
import { callColumns, callRow, toCall } from '../src/sessions/call-rows.store.ts';
import { createCallWrites } from '../src/sessions/call-writes.store.ts';
import { endUntouched } from '../src/sessions/end-untouched.ts';
import { createSessionLife } from '../src/sessions/session-life.ts';
import { createToolsUnderWay, readBegunTools } from '../src/sessions/tools/tools-under-way.store.ts';
import { createTurnWriter } from '../src/sessions/turn-writer.store.ts';
import { createWithoutErased } from '../src/sessions/without-erased.ts';
import { createWorkers } from '../src/sessions/workers.store.ts';
import { anyNumber, type Harness, newWorkspace, startHarness } from './harness.ts';
import { analyzed } from './place-call.ts';
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

  it.each([
    ['enhanced_transcript', (text: string) => text],
    ['enhanced_turns', (content: string) => JSON.stringify([{ content }])],
  ])('lose a recording whose number is only in %s [trust.19]', async (column, toValue) => {
    const workspaceId = newWorkspace();
    const person = anyNumber();
    const { recordings } = harness.context;
    const seed = async (words: string) => {
      const { id } = await seedCall(harness.sql, workspaceId, { recording_sid: randomUUID() });
      const key = `${id}.wav`;
      const bytes = async function* () {
        yield Buffer.from(words);
      };
      await recordings.put(key, { length: words.length, bytes: bytes() }, new AbortController().signal);
      await harness.sql.$executeRaw`
        UPDATE calls SET recording_key = ${key}, ${raw(column)} = ${toValue(words)}::${raw(column.endsWith('turns') ? 'json' : 'text')}
        WHERE id = ${id}::uuid`;
      return { id, key };
    };
    const [mentioned, other] = [await seed(`Call ${person}`), await seed('Good evening')];
    await remove(workspaceId, person);
    const calls = await harness.sql.$queryRaw<{ id: string; text: string; key: string | null }[]>`
      SELECT id::text, to_json(c)::text AS text, recording_key AS key FROM calls c WHERE workspace_id = ${workspaceId}::uuid`;
    expect(calls.map(({ text }) => text).join()).not.toContain(person.slice(1));
    expect(calls.find(({ id }) => id === mentioned.id)?.key).toBeNull();
    expect(await recordings.open(mentioned.key)).toBeNull();
    expect(await recordings.open(other.key)).not.toBeNull();
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

it('its webhook URL is masked in calls whose messages are published, and removed from those of the person [trust.19]', async () => {
  const [workspaceId, person] = [newWorkspace(), anyNumber()];
  const url = (number: string) => `https://example.com/hook?for=%2B${number.slice(1)}`;
  const seed = async (fields: Record<string, unknown>, workspace = workspaceId) => {
    const { id } = await seedCall(harness.sql, workspace, { agent_webhook_url: url(person), ...fields });
    return async () =>
      (
        await harness.sql.$queryRaw<{ url: string | null }[]>`
        SELECT agent_webhook_url AS url FROM calls WHERE id = ${id}::uuid`
      )[0]?.url;
  };
  const analysed_at = new Date();
  const own = await seed({ analysed_at, to_number: person });
  const analyzed = await seed({ analysed_at });
  const due = await seed({ analysis_due_at: new Date(Date.now() + 3_600_000) });
  const live = await seed({ ...LIVE, worker_id: await createWorker() });
  const foreign = await seed({ analysed_at }, newWorkspace());
  await remove(workspaceId, person);
  expect(await own()).toBeNull();
  expect(await analyzed()).toBe(url(`+1${'0'.repeat(person.length - 2)}`));
  for (const kept of [due, live, foreign]) expect(await kept()).toBe(url(person));
});

const createWorker = async (): Promise<string> => {
  const workerId = randomUUID();
  await harness.sql.$executeRaw`
    INSERT INTO call_workers (id, expires_at) VALUES (${workerId}::uuid, now() + interval '1 hour')`;
  return workerId;
};

describe('an analysis that is running during an erasure', () => {
  const turn = (id: string, seq: number, content: string) => harness.sql.$executeRaw`
    INSERT INTO turns (call_id, seq, role, content, at) VALUES (${id}::uuid, ${seq}, 'user', ${content}, now())`;

  const tool = async (id: string, args: object) => {
    await harness.sql.$executeRaw`
      INSERT INTO turns (call_id, seq, role, tool_name, query, at) VALUES (${id}::uuid, 2, 'tool', 'call_back', '{}', now())`;
    await harness.sql.$executeRaw`
      INSERT INTO tool_executions (id, call_id, seq, tool_name, tool_type, args, executed_at)
      VALUES (${randomUUID()}::uuid, ${id}::uuid, 2, 'call_back', 'custom', ${JSON.stringify(args)}::json, now())`;
  };

  const due = async (dynamic_variables: object = {}) => {
    const workspaceId = newWorkspace();
    const { id } = await seedCall(harness.sql, workspaceId, {
      dynamic_variables,
      analysis_due_at: new Date(),
    });
    await turn(id, 1, 'Good evening');
    return { id, workspaceId };
  };

  /** A worker that begins with these calls when it is created. */
  const analyzing = async (
    callId: string,
    whileItRuns: () => Promise<void>,
    replaced: Partial<AnalysisQueue> = {},
  ) => {
    const { prisma, outbox, secrets, clock, log } = harness.context;
    const queue = createAnalysisQueue({
      sql: prisma,
      outbox,
      clock,
      workerId: await createWorker(),
      signRecording: (key) => key,
    });
    const deps: Parameters<typeof analyzeDue>[0] = {
      queue: { ...queue, ...replaced },
      archive: createSnapshotArchive({ prisma, secrets, clock }),
      findAnalyzer: () => ({
        analyze: async ({ lines }) => {
          await whileItRuns();
          return { summary: lines.map(({ content }) => content).join(' '), data: {} };
        },
      }),
      clock,
      log,
    };
    const claim = { now: new Date(), limit: 100, share: 100, running: [] };
    const jobs = (await claimAnalyses(deps, claim)).filter(({ due: { call } }) => call.id === callId);
    return {
      jobs,
      work: ({ signal } = new AbortController()) =>
        Promise.all(jobs.map((job) => analyzeDue(deps, job, signal))),
    };
  };

  const stored = async (id: string) => {
    const row = await queryRow(
      harness.context.prisma,
      z.object({ isAnalyzed: z.boolean(), text: z.string() }),
      sql`SELECT analysed_at IS NOT NULL AS "isAnalyzed", to_json(c)::text AS text FROM calls c WHERE id = ${id}::uuid`,
    );
    if (!row) throw new Error('the call is gone');
    return row;
  };

  it.each([
    [
      'what was said',
      async (person: string) => {
        const call = await due();
        await turn(call.id, 2, `Call ${person}`);
        return call;
      },
    ],
    [
      'arguments of a tool',
      async (person: string) => {
        const call = await due();
        await tool(call.id, { person });
        return call;
      },
    ],
    ['variables', (person: string) => due({ person })],
  ])('is repeated with what is left of %s [trust.19]', async (_, seed) => {
    const person = anyNumber();
    const { id, workspaceId } = await seed(person);
    const first = await analyzing(id, () => remove(workspaceId, person));
    await first.work();
    expect(await stored(id)).toMatchObject({ isAnalyzed: false });
    const second = await analyzing(id, async () => {});
    await second.work();
    const { isAnalyzed, text } = await stored(id);
    expect([first.jobs.length, second.jobs.length, isAnalyzed]).toEqual([1, 1, true]);
    expect(text).not.toContain(person.slice(1));
    await eventually(() => expect(analyzed(harness, id)).toHaveLength(1));
    const [message] = analyzed(harness, id);
    expect(message?.data.summary).toContain('Good evening');
    expect(JSON.stringify(message)).not.toContain(person.slice(1));
  });

  it('is given up after 5 claims that no worker finished; those that an erasure voided do not count [calls.13]', async () => {
    const { id } = await due();
    const crash = async () => {
      expect((await analyzing(id, async () => {})).jobs).toHaveLength(1);
      await harness.sql
        .$executeRaw`UPDATE calls SET analysis_lease_until = now() - interval '1 second' WHERE id = ${id}::uuid`;
    };
    for (let i = 0; i < 4; i += 1) await crash();
    for (let i = 0; i < 3; i += 1) {
      expect((await analyzing(id, async () => {})).jobs).toMatchObject([{ due: { crashes: 4 } }]);
      await harness.context.outbox.transaction((tx) => voidAnalyses(tx, [id]));
    }
    await crash();
    let isAnalyzed = false;
    const last = await analyzing(id, async () => {
      isAnalyzed = true;
    });
    await last.work();
    expect([isAnalyzed, await stored(id)]).toMatchObject([false, { isAnalyzed: true }]);
    await eventually(() => expect(analyzed(harness, id)).toHaveLength(1));
    expect(analyzed(harness, id)[0]?.data).toMatchObject({ summary: null, analysis_data: null });
  });

  it('is released if its result cannot be stored for an outage, which counts as no crash', async () => {
    const { id } = await due();
    const outage = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
    const first = await analyzing(id, async () => {}, { finish: () => Promise.reject(outage) });
    await first.work();
    await harness.sql.$executeRaw`UPDATE calls SET analysis_due_at = now() WHERE id = ${id}::uuid`;
    expect((await analyzing(id, async () => {})).jobs).toMatchObject([{ due: { crashes: 0 } }]);
  });

  it('is not counted as given up by a worker that stops', async () => {
    const { id } = await due();
    const stopping = new AbortController();
    const stopped = await analyzing(id, async () => {
      stopping.abort();
      stopping.signal.throwIfAborted();
    });
    await stopped.work(stopping);
    expect((await analyzing(id, async () => {})).jobs).toMatchObject([{ due: { crashes: 0 } }]);
  });

  it('does not begin before the erasure has committed', async () => {
    const { id } = await due();
    await harness.context.outbox.transaction(async (tx) => {
      await voidAnalyses(tx, [id]);
      expect((await analyzing(id, async () => {})).jobs).toEqual([]);
    });
    expect((await analyzing(id, async () => {})).jobs).toHaveLength(1);
  });
});

it('a live call that mentions an erased number goes on, and does not bring it back [trust.19]', async () => {
  const { prisma, outbox, erasedNumbers, clock, log, noteChange } = harness.context;
  const workspaceId = newWorkspace();
  const workerId = await createWorker();
  const person = anyNumber();
  const digits = person.slice(1);
  const seeded = { ...LIVE, worker_id: workerId, fence: 1, dynamic_variables: { person } };
  const { id } = await seedCall(harness.sql, workspaceId, seeded);
  const row = await queryRow(prisma, callRow, sql`SELECT ${callColumns} FROM calls WHERE id = ${id}::uuid`);
  if (!row) throw new Error('there is no call');
  const call = toCall(row);
  await harness.sql.$executeRaw`
    INSERT INTO turns (call_id, seq, role, content, at) VALUES (${id}::uuid, 1, 'agent', ${`Call ${person}`}, now())`;
  await remove(workspaceId, person);

  const withoutErased = createWithoutErased(erasedNumbers);
  const turns = createTurnWriter({ sql: prisma, log, workerId, withoutErased });
  const said = { role: 'agent', content: `Call ${person} today`, isInterrupted: false } as const;
  const outcome = { statusCode: 200, result: { called: person }, error: null, slow: false, documents: null };
  const toolEntry = { role: 'tool', toolName: 'call_back', toolType: 'custom', description: null } as const;
  turns.correct(call, { ...said, seq: 1 });
  turns.append(call, { ...toolEntry, args: { person }, outcome, seq: 2, at: clock.now() });
  // A copy of the call that was read later: the number is mentioned anew.
  turns.append({ ...call, readAt: new Date(Date.now() + 120_000) }, { ...said, seq: 3, at: clock.now() });
  expect(await turns.drained(call)).toBe(true);
  // A leg that is transferred to the person has the number in its worker until the call ends, and not in the database.
  await createLegStates(prisma, workerId, withoutErased)(id, { target: person, isBridged: true });
  const [leg] = await harness.sql.$queryRaw<{ carrier_state: unknown }[]>`
    SELECT carrier_state FROM calls WHERE id = ${id}::uuid`;
  expect(leg?.carrier_state).toMatchObject({ isBridged: true });
  expect(JSON.stringify(leg)).not.toContain(digits);
  const circuitRules = { failures: 1, firstPauseMs: 1, longestPauseMs: 1 };
  const writes = createCallWrites({
    ...{ sql: prisma, outbox, clock, log, circuitRules, withoutErased, noteChange },
    onEnded: () => {},
  });
  const end = endUntouched(call, 'remote', clock.now());
  const at = clock.now();
  const transfer = { destination: person, transfer_type: 'cold', ok: false, error: null } as const;
  const timeline = [...end.timeline, { type: 'transfer', at, detail: transfer } as const];
  expect(await writes.save({ workerId, isLive: () => true }, call, { ...end, timeline })).toBe(true);

  const textOf = async (table: 'calls' | 'turns' | 'tool_executions' | 'call_events') =>
    (
      await harness.sql.$queryRaw<{ text: string }[]>`
        SELECT to_json(t)::text AS text FROM ${raw(table)} t
        WHERE ${raw(table === 'calls' ? 'id' : 'call_id')} = ${id}::uuid ORDER BY 1`
    ).map(({ text }) => text);
  expect((await textOf('calls')).join()).not.toContain(digits);
  const words = await textOf('turns');
  expect(words.map((text) => text.includes(digits))).toEqual([false, false, true]);
  expect(words[0]).toContain('today');
  expect((await textOf('tool_executions')).join()).not.toContain(digits);
  const events = (await textOf('call_events')).join();
  expect(events).toContain('"transfer"');
  expect(events).not.toContain(digits);
  const ended = await eventually(() => {
    const found = harness.bus.received('call.ended').filter(({ data }) => data.call_id === id);
    expect(found).toHaveLength(1);
    return found;
  });
  expect(ended[0]?.data.dynamic_variables).toEqual({ person: `+1${'0'.repeat(digits.length - 1)}` });
});

it('a tool that begins after an erasure, and what a worker inherits of it, do not bring the number back [trust.19]', async () => {
  const { prisma, erasedNumbers, clock, log } = harness.context;
  const workspaceId = newWorkspace();
  const [killed, next] = [randomUUID(), await createWorker()];
  const person = anyNumber();
  const digits = person.slice(1);
  const began = { ...LIVE, worker_id: killed, fence: 1, created_at: new Date(Date.now() - 300_000) };
  const { id } = await seedCall(harness.sql, workspaceId, began);
  const row = await queryRow(prisma, callRow, sql`SELECT ${callColumns} FROM calls WHERE id = ${id}::uuid`);
  if (!row) throw new Error('there is no call');
  await remove(workspaceId, person);
  // This process may remember for a second that nothing was erased.
  const mention = { text: person, workspaceId, publishedAtSeconds: undefined };
  await eventually(async () => expect((await erasedNumbers.find(mention)).size).toBe(1));

  const withoutErased = createWithoutErased(erasedNumbers);
  const owner = { workerId: killed, isLive: () => true };
  const tool = { toolName: 'call_back', toolType: 'custom', description: null, args: { person } };
  const toolCallId = randomUUID();
  const toolsUnderWay = createToolsUnderWay(prisma, withoutErased);
  expect(await toolsUnderWay.begin(owner, toCall(row), { ...tool, toolCallId })).toBe(true);
  const begun = await readBegunTools(prisma, [id]);
  expect(begun.get(id)).toMatchObject([{ toolCallId }]);
  expect(JSON.stringify(begun.get(id))).not.toContain(digits);

  // The erasure is older than the tolerance for the clocks of workers.
  await harness.sql.$executeRaw`
    UPDATE removals SET updated_at = now() - interval '2 minutes' WHERE workspace_id = ${workspaceId}::uuid`;
  await harness.sql.$executeRaw`
    INSERT INTO call_workers (id, expires_at) VALUES (${killed}::uuid, now() - interval '1 second')`;
  const taken = await createWorkers(prisma).takeOver(next, 100);
  const call = taken.find((one) => one.call.id === id)?.call;
  if (!call) throw new Error('the call was not taken over');
  const turns = createTurnWriter({ sql: prisma, log, workerId: next, withoutErased });
  const outcome = { statusCode: null, result: null, error: 'interrupted', slow: false, documents: null };
  turns.append(call, { role: 'tool', ...tool, toolCallId, outcome, seq: 1, at: clock.now() });
  expect(await turns.drained(call)).toBe(true);
  const recorded = await harness.sql.$queryRaw<{ args: unknown }[]>`
    SELECT args FROM tool_executions WHERE call_id = ${id}::uuid`;
  expect(recorded).toHaveLength(1);
  expect(JSON.stringify(recorded)).not.toContain(digits);
});

it('a call that gets its assistant does not bring an erased number back [trust.19]', async () => {
  const { prisma, secrets, clock, log } = harness.context;
  const workspaceId = newWorkspace();
  const [workerId, person] = [await createWorker(), anyNumber()];
  const snapshot = harness.peers.addAgent(workspaceId);
  const { id } = await seedCall(harness.sql, workspaceId, {
    ...LIVE,
    ...{ call_type: 'web', status: 'ringing', phase: 'selecting_assistant', worker_id: workerId, fence: 1 },
    agent_id: snapshot.agent_id,
    dynamic_variables: { person, day: 'Monday' },
  });
  const read = async () => {
    const row = await queryRow(prisma, callRow, sql`SELECT ${callColumns} FROM calls WHERE id = ${id}::uuid`);
    if (!row) throw new Error('there is no call');
    return toCall(row);
  };
  const deps = {
    calls: createInboundCalls({ sql: prisma, clock }),
    archive: createSnapshotArchive({ prisma, secrets, clock }),
    snapshots: {
      get: async () => {
        await remove(workspaceId, person);
        return snapshot;
      },
    },
    owner: { workerId, isLive: () => true },
    clock,
  } as unknown as DecideDeps;
  const decision = await decideAnswer(deps, await read(), createSessionLife(clock, log));
  expect(decision).toMatchObject({ type: 'answer', selected: { dynamicVariables: { day: 'Monday' } } });
  const { dynamicVariables, state } = await read();
  expect(state.phase).toBe('ringing');
  expect(dynamicVariables).toEqual({ person: `+1${'0'.repeat(person.length - 2)}`, day: 'Monday' });
});

it('a dial that waits is dialed without the erased number, even if the dialer has read it before [trust.19]', async () => {
  const { prisma, outbox } = harness.context;
  const workspaceId = newWorkspace();
  const [person, phoneNumberId] = [anyNumber(), randomUUID()];
  await harness.sql.$executeRaw`
    INSERT INTO dial_requests (call_id, workspace_id, phone_number_id, agent_id, to_number, dynamic_variables, requested_at)
    VALUES (${randomUUID()}::uuid, ${workspaceId}::uuid, ${phoneNumberId}::uuid, ${randomUUID()}::uuid, ${anyNumber()},
      ${JSON.stringify({ person })}::jsonb, now())`;
  const store = createDialStore(prisma, chooseCarriers([]));
  const requests = await store.oldestRequests([{ phoneNumberId, maxSingleCalls: 1, maxOfCampaigns: 1 }], []);
  expect(requests).toMatchObject([{ dynamicVariables: { person } }]);
  await remove(workspaceId, person);
  const locked = await outbox.transaction((tx) => store.lockRequests(tx, requests));
  expect(locked.map(({ callId }) => callId)).toEqual(requests.map(({ callId }) => callId));
  expect(JSON.stringify(locked)).not.toContain(person.slice(1));
});
