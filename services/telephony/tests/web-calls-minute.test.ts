import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@parley/kit/errors';
import type { Clock } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import { type ApiDeps, createApiDeps } from '../src/start-api.ts';
import { type AttendDeps, joinWebCall } from '../src/web-calls/attend-web-call.ts';
import { type EndUnjoinedDeps, endUnjoined } from '../src/web-calls/end-unjoined.ts';
import { createWebCalls } from '../src/web-calls/web-calls.store.ts';
import { type Harness, newWorkspace, startHarness } from './harness.ts';
import { readCall } from './place-call.ts';

/** No worker runs here: tests run the sweep themselves. */
let harness: Harness;
let deps: ApiDeps;
const workspace = newWorkspace();

beforeAll(async () => {
  harness = await startHarness();
  deps = createApiDeps(harness.context);
});
afterAll(() => harness.close());

type Waiting = { id: string; token: string; lastMoment: Clock; minuteIsOver: Clock };

/** A call, and two times between which its minute ends. */
async function waiting(): Promise<Waiting> {
  const { agent_id } = harness.peers.addAgent(workspace);
  harness.peers.setSettings(workspace, { max_live_calls: 1_000 });
  const { body } = await harness.ask(workspace, 'POST', '/v2/call/web', { body: { agent_id } });
  const { id, access_token: token, created_at } = body.data;
  const end = Date.parse(created_at) + 60_000;
  const at = (ms: number): Clock => ({ ...harness.context.clock, now: () => new Date(ms) });
  return { id, token, lastMoment: at(end - 1), minuteIsOver: at(end) };
}

const join = ({ token, lastMoment }: Waiting, own: Partial<AttendDeps> = {}) =>
  joinWebCall({ ...deps, clock: lastMoment, ...own }, token).then(
    () => 200,
    (err: unknown) => (err instanceof AppError ? err.code : Promise.reject(err)),
  );

const sweep = ({ minuteIsOver }: Waiting, webCalls: Partial<EndUnjoinedDeps['webCalls']> = {}) =>
  endUnjoined({
    transact: deps.transact,
    clock: minuteIsOver,
    webCalls: { ...createWebCalls(harness.context.prisma), ...webCalls },
  });

const isJoined = async ({ id }: Waiting) =>
  (await harness.sql.$queryRaw<unknown[]>`SELECT 1 FROM web_lines WHERE call_id = ${id}::uuid`).length > 0;
const read = ({ id }: Waiting) => readCall(harness, workspace, id);

/** A point at which code pauses until the test continues it. */
function gate() {
  let open = (): void => {};
  let arrive = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const pass = (): Promise<void> => {
    arrive();
    return opened;
  };
  return { open: () => open(), arrived, pass };
}

describe('a web call that is joined at the end of its minute [web-calls.2]', () => {
  it('continues if the join comes first, even if the sweep runs before it is committed', async () => {
    const call = await waiting();
    const { open, arrived, pass } = gate();
    const webLines: AttendDeps['webLines'] = {
      ...deps.webLines,
      open: async (...args) => {
        await deps.webLines.open(...args);
        await pass();
      },
    };
    const joining = join(call, { webLines });
    await arrived;
    await sweep(call);
    open();
    expect(await joining).toBe(200);
    await sweep(call);
    expect(await isJoined(call)).toBe(true);
    expect(await read(call)).toMatchObject({ status: 'queued', disconnection_reason: null });
  });

  it('ends if the sweep comes first, and a join before its commit is refused', async () => {
    const call = await waiting();
    const { open, arrived, pass } = gate();
    const sweeping = sweep(call, {
      end: async (...args) => {
        await createWebCalls(harness.context.prisma).end(...args);
        await pass();
      },
    });
    await arrived;
    const joining = join(call);
    await eventually(async () =>
      expect(
        await harness.sql.$queryRaw<
          unknown[]
        >`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      ).toHaveLength(1),
    );
    open();
    await sweeping;
    expect(await joining).toBe('CONFLICT');
    expect(await isJoined(call)).toBe(false);
    expect(await read(call)).toMatchObject({
      status: 'completed',
      disconnection_reason: 'error_user_not_joined',
    });
  });

  it('either continues or ends, at any interleaving', async () => {
    const calls = await Promise.all(Array.from({ length: 20 }, waiting));
    const latest = calls.reduce((a, b) => (a.minuteIsOver.now() > b.minuteIsOver.now() ? a : b));
    const [answers] = await Promise.all([
      Promise.all(calls.map((call) => join(call))),
      sweep(latest),
      sweep(latest),
      sweep(latest),
    ]);
    for (const [i, call] of calls.entries()) {
      const isEnded = (await read(call)).status === 'completed';
      expect(await isJoined(call)).toBe(!isEnded);
      expect(answers[i]).toBe(isEnded ? 'CONFLICT' : 200);
    }
  });
});
