import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { createJobLoop } from '@parley/kit/concurrency';
import { createLifecycle, type Lifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { eventually } from '@parley/testkit';
import { createWebAudio } from '../src/carriers/web/audio/web-audio.ts';
import { createWebCarrier, type WebCarrier } from '../src/carriers/web/web-carrier.ts';
import { createWebCalls } from '../src/web-calls/web-calls.store.ts';
import { createWebLines } from '../src/web-calls/web-lines.store.ts';
import { carrierContract } from './contracts/carrier-contract.ts';
import { type Caller, type Callers, type CarrierUnderTest, NOTHING } from './contracts/carrier-under-test.ts';
import { type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { type TestBrowser, testBrowser } from './web-browser.ts';

/** This file takes the calls in the place of a worker. */
const WORKER = randomUUID();
const ALL = { text: 10, audio: 10 };
const POLL_MS = 50;
const LEAVES_AFTER_MS = 500;
const log = createLogger({ service: 'test', level: 'silent' });

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ PROCESSES: 'api' });
  await harness.sql.$executeRaw`INSERT INTO call_workers (id, expires_at, web_audio)
    VALUES (${WORKER}::uuid, now() + interval '1 hour', true)`;
});
afterAll(() => harness?.close());

/** A visitor of a page, by the API. */
async function startCall() {
  const workspaceId = newWorkspace();
  const { agent_id } = harness.peers.addAgent(workspaceId);
  const { body } = await harness.ask(workspaceId, 'POST', '/v2/call/web', { body: { agent_id } });
  const { id, access_token } = body.data;
  const session = (path: string, body?: object): Promise<Json> =>
    harness.ask('', 'POST', `/widget/session/${path}`, {
      ...{ token: false, headers: { 'x-access-token': access_token } },
      ...(body ? { body } : {}),
    });
  const lines = createWebLines(harness.context.prisma);
  const lineHas = (what: 'joinedAt' | 'answeredAt'): Promise<void> =>
    eventually(async () => expect((await lines.find(id))?.[what]).toBeTruthy());
  return {
    reference: id as string,
    session,
    lineHas,
    take: async (): Promise<void> => {
      await lineHas('joinedAt');
      const { prisma, clock } = harness.context;
      const [taken] = await createWebCalls(prisma).takeJoined(WORKER, clock.now(), ALL);
      expect(taken?.call.id).toBe(id);
    },
    leave: async () => expect((await session('leave')).status).toBe(200),
  };
}
type Call = Awaited<ReturnType<typeof startCall>>;

async function leaveLater({ leave }: Call): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, LEAVES_AFTER_MS));
  await leave();
}

/** Two processes with web calls, and visitors that write or speak. */
function webCarrier(media: 'text' | 'audio'): CarrierUnderTest {
  let processes: [WebCarrier, WebCarrier];
  let lifecycle: Lifecycle;
  const browsers: TestBrowser[] = [];
  const openProcess = (): WebCarrier => {
    const { prisma, clock } = harness.context;
    const addresses = ['127.0.0.1'];
    const ports = { min: 21_000, max: 21_999 };
    const loadAudio = () => createWebAudio({ host: '127.0.0.1', addresses, ports, log, lifecycle });
    const audio = media === 'audio' ? loadAudio() : undefined;
    const carrier = createWebCarrier({
      ...{ lines: createWebLines(prisma), clock, log },
      sendSms: async () => ({ refused: 'no carrier' }),
      saveState: async () => {},
      loadAudio: audio && (() => audio),
    });
    createJobLoop({ name: 'web lines', everyMs: POLL_MS, run: carrier.look, log, lifecycle });
    return carrier;
  };
  beforeAll(() => {
    lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
    processes = [openProcess(), openProcess()];
  });
  afterAll(async () => {
    await Promise.all(browsers.map((browser) => browser.close()));
    await lifecycle?.stop('test');
  });

  /** Joins; a browser is connected once a process has attached to the call. */
  const join = async (call: Call): Promise<TestBrowser | undefined> => {
    if (media === 'text') {
      expect((await call.session('join')).status).toBe(200);
      return undefined;
    }
    const browser = await testBrowser();
    browsers.push(browser);
    const offer = { sdp: await browser.offer(), participant: randomBytes(16).toString('base64url') };
    const connecting = call.session('offer', offer).then(({ status, body }) => {
      // Otherwise the call was over first.
      if (status === 200) return browser.accept(body.data.sdp);
    });
    connecting.catch(() => {});
    return browser;
  };
  /** `act` runs beside the test, and what fails in it fails `done`. */
  const calls =
    (act: (call: Call, browser: TestBrowser | undefined) => Promise<unknown>): Callers['waits'] =>
    async (): Promise<Caller> => {
      const call = await startCall();
      const browser = await join(call);
      await call.take();
      const acting = act(call, browser);
      acting.catch(() => {});
      return { reference: call.reference, done: async () => void (await acting) };
    };
  const waits = calls(async () => {});
  const written = calls(async ({ session, lineHas, leave }) => {
    await lineHas('answeredAt');
    for (const text of ['Hello?', 'Bye.']) expect((await session('messages', { text })).status).toBe(202);
    await leave();
  });
  const spoken = calls(async (_, browser) => {
    await eventually(() => expect(browser?.heardMs()).toBeGreaterThan(200));
    await browser?.speak(600);
  });
  const pressesKeys = calls(async (call, browser) => {
    await call.lineHas('answeredAt');
    await browser?.connected();
    for (const digits of ['5', '#']) browser?.send(JSON.stringify({ type: 'dtmf', digits }));
    await leaveLater(call);
  });
  return {
    carrier: () => processes[0],
    other: () => processes[1],
    capabilities: { transfer: false, takeover: 'reattach', media, endsSilentLegs: true },
    pressesKeys: false,
    endOfGoneLeg: 'local',
    soFar: async () => NOTHING,
    callers: {
      ...{ waits, moves: waits, isLeft: waits, isDeclined: waits },
      givesUp: calls(leaveLater),
      hangsUp: calls(async ({ lineHas, leave }) => {
        await lineHas('answeredAt');
        await leave();
      }),
      ...(media === 'audio' ? { talks: spoken, pressesKeys } : { talks: written }),
    },
  };
}

describe.each(['text', 'audio'] as const)('web calls with %s [web-calls.5]', (media) => {
  carrierContract(`web calls with ${media}`, webCarrier(media));
});
