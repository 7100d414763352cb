import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createDeepgramDouble } from '@parley/speech/testing';
import { eventually } from '@parley/testkit';
import { type InboundNumber, inboundNumber } from './call-in.ts';
import { type Harness, type Json, startHarness } from './harness.ts';
import { callFrom, finished, readCall } from './place-call.ts';
import { hasBaresip, type Person, startPerson } from './sip/baresip.ts';
import { type WorkerProcess, workerProcess } from './worker-process.ts';

const PATIENCE = { timeoutMs: 60_000 };
const GREETING = 'Welcome to the Acme company.';
const SAID = ['Who is this, please?', 'And what do you want from me today?', 'Are you still there?'];
const THEM = '+12025550199';
/** A worker that has died is missed after two seconds. */
const TAKEOVER_MS = 5_000;
const SAMPLES_A_SECOND = 16_000;

// The embedded recognition is too slow beside two workers that start; the provider's double has words for all that is loud.
(hasBaresip() ? describe : describe.skip)('a call whose worker', () => {
  let harness: Harness;
  let speech: Awaited<ReturnType<typeof createDeepgramDouble>>;
  let person: Person;
  const others: Person[] = [];
  const workers: WorkerProcess[] = [];
  beforeAll(async () => {
    speech = await createDeepgramDouble();
    speech.hears(...SAID);
    const { url: base_url, key: api_key } = speech;
    harness = await startHarness({
      PROCESSES: 'api',
      CLOCK_RATE: '1',
      CARRIERS: 'sip',
      HOST: '127.0.0.1',
      RTP_PORT_MIN: '33000',
      RTP_PORT_MAX: '45000',
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      SPEECH_PROVIDERS: JSON.stringify([{ name: 'deepgram', type: 'deepgram', base_url, api_key }]),
    });
    person = await startPerson({
      number: THEM,
      says: SAID.map((text, n) => ({ afterSeconds: n === 0 ? 4 : 9, text })),
    });
  });
  afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.kill('SIGKILL'))));
  afterAll(async () => {
    for (const one of [person, ...others]) await one?.stop();
    await harness?.close();
    await speech?.close();
  });

  const timelineOf = async (workspaceId: string, id: string): Promise<Json[]> =>
    (await harness.ask(workspaceId, 'GET', `/v2/call/${id}/timeline`)).body.data;
  const turnsOf = async (workspaceId: string, id: string, role: string): Promise<Json[]> =>
    (await timelineOf(workspaceId, id)).filter((entry) => entry.type === 'turn' && entry.role === role);
  const traceOf = async (workspaceId: string, id: string): Promise<Json[]> =>
    (await harness.callAsService(workspaceId, 'GET', `/internal/calls/${id}/sip-trace`)).body.data;

  const reinviteOf = (messages: readonly Json[], since: number): Json =>
    messages.find(
      ({ at, direction, message }) =>
        direction === 'sent' && /^INVITE /.test(message) && Date.parse(at) > since,
    );

  /** Of a call that is answered. */
  const holderOf = async (id: string): Promise<string | undefined> => {
    const [row] = await harness.sql.$queryRaw<
      { worker: string; status: string }[]
    >`SELECT worker_id::text AS worker, status FROM calls WHERE id = ${id}::uuid`;
    return row?.status === 'in-progress' ? row.worker : undefined;
  };
  /** Two workers, of which the first holds the answered call: to start one takes longer than a conversation. */
  const twoWorkers = async (
    place: () => Promise<string>,
  ): Promise<{ id: string; first: WorkerProcess; second: WorkerProcess }> => {
    workers.push(...(await Promise.all([workerProcess(harness), workerProcess(harness)])));
    const id = await place();
    const holder = await eventually(async () => {
      const found = await holderOf(id);
      if (!found) throw new Error('the call is not answered');
      return found;
    }, PATIENCE);
    const first = workers.find(({ workerId }) => workerId === holder);
    const second = workers.find(({ workerId }) => workerId !== holder);
    if (!first || !second) throw new Error(`no worker of ours holds the call: ${holder}`);
    return { id, first, second };
  };

  it('is killed goes on in another one within five seconds: both hear each other, and it is recorded to its end [sip.14]', async () => {
    const number = await inboundNumber(harness, {
      agent: { config: { firstMessage: GREETING } },
      number: { termination_uri: `127.0.0.1:${person.port}`, transport: 'tcp' },
    });
    const { workspaceId } = number;
    const { id, first, second } = await twoWorkers(() =>
      callFrom(harness, number, THEM, { agent_id: number.agent.agent_id }),
    );
    const saidBefore = await eventually(async () => {
      const { length } = await turnsOf(workspaceId, id, 'user');
      expect(length).toBeGreaterThan(0);
      return length;
    }, PATIENCE);
    await first.kill('SIGKILL');
    const killedAt = Date.now();
    const reinvited = await eventually(async () => {
      const found = (await traceOf(workspaceId, id)).find(
        ({ at, direction, message }) =>
          Date.parse(at) > killedAt && direction === 'received' && /^SIP\/2.0 200/.test(message),
      );
      expect(found?.message).toMatch(/CSeq: \d+ INVITE/i);
      return found;
    }, PATIENCE);
    expect(Date.parse(reinvited.at) - killedAt).toBeLessThan(TAKEOVER_MS);
    // The person speaks again, is understood by somebody, and hears an answer.
    await eventually(
      async () => expect((await turnsOf(workspaceId, id, 'user')).length).toBeGreaterThan(saidBefore),
      PATIENCE,
    );
    const spoken = async (): Promise<Json[]> =>
      (await turnsOf(workspaceId, id, 'agent')).filter(({ at }) => Date.parse(at) > killedAt + TAKEOVER_MS);
    await eventually(async () => expect((await spoken()).length).toBeGreaterThan(0), PATIENCE);
    await eventually(async () => {
      const [heard = new Int16Array()] = await person.heard();
      const last = heard.subarray(-5 * SAMPLES_A_SECOND);
      expect(last.some((sample) => Math.abs(sample) > 3_000)).toBe(true);
    }, PATIENCE);
    const hungUpAt = Date.now();
    person.type('b');
    const call = await eventually(() => finished(harness, workspaceId, id), PATIENCE);
    expect(call).toMatchObject({ disconnection_reason: 'user_hangup', recording_url: expect.any(String) });
    const stored = (await timelineOf(workspaceId, id)).find(({ type }) => type === 'recording_stored');
    const talkedSeconds = (hungUpAt - Date.parse(call.answered_at)) / 1_000;
    expect(stored?.seconds).toBeGreaterThan(talkedSeconds - TAKEOVER_MS / 1_000);
    await second.kill('SIGTERM');
  });

  it('is stopped is handed over at once, and the next call is another one’s [sip.17]', async () => {
    const silent = await Promise.all([1, 2].map(() => startPerson({ number: THEM, says: [] })));
    others.push(...silent);
    const [number, nextNumber] = await Promise.all(
      silent.map(({ port }) =>
        inboundNumber(harness, {
          agent: { config: { firstMessage: GREETING } },
          number: { termination_uri: `127.0.0.1:${port}`, transport: 'tcp' },
        }),
      ),
    );
    if (!number || !nextNumber) throw new Error('no numbers');
    const { workspaceId } = number;
    const place = (from: InboundNumber) => callFrom(harness, from, THEM, { agent_id: from.agent.agent_id });
    const { id, first, second } = await twoWorkers(() => place(number));
    await eventually(
      async () => expect((await turnsOf(workspaceId, id, 'agent')).length).toBeGreaterThan(0),
      PATIENCE,
    );
    const stoppedAt = Date.now();
    const stopping = first.kill('SIGTERM');
    const next = await place(nextNumber);
    await eventually(async () => expect(await holderOf(id)).toBe(second.workerId), PATIENCE);
    await eventually(async () => expect(await holderOf(next)).toBe(second.workerId), PATIENCE);
    expect(await stopping).toBe(0);
    // A worker holds the call before it asks for the audio, and traces are stored after that.
    const messages = await eventually(async () => {
      const found = await traceOf(workspaceId, id);
      expect(reinviteOf(found, stoppedAt)).toBeDefined();
      return found;
    }, PATIENCE);
    expect(Date.parse(reinviteOf(messages, stoppedAt)?.at) - stoppedAt).toBeLessThan(TAKEOVER_MS);
    expect(messages.some(({ message }) => /^BYE /.test(message))).toBe(false);
    const calls = [
      { id, of: workspaceId },
      { id: next, of: nextNumber.workspaceId },
    ];
    for (const call of calls)
      expect((await harness.ask(call.of, 'POST', `/v2/call/${call.id}/stop`)).status).toBe(200);
    for (const call of calls)
      await eventually(
        async () =>
          expect(await readCall(harness, call.of, call.id)).toMatchObject({
            disconnection_reason: 'agent_hangup',
          }),
        PATIENCE,
      );
    await second.kill('SIGTERM');
  });
});
