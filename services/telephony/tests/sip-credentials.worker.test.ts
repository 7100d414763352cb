import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { freePort } from '@parley/testkit';
import {
  acknowledgeRefusal,
  callerRequest,
  expectRequest,
  expectResponse,
  hasSipp,
  respondInside,
  type Step,
  startSipp,
} from '@parley/testkit/sip';
import { startWorker } from '../src/start-worker.ts';
import { type InboundNumber, inboundNumber, untilStatus } from './call-in.ts';
import { type Harness, type Json, startHarness } from './harness.ts';
import { speechOf } from './speech-doubles.ts';

const OLD = { username: 'alice', password: 'wonderland' };
const NEW = { username: 'bob', password: 'builder' };
const CALLER = '+12025550199';
type Credentials = typeof OLD;

const authOf = ({ username, password }: Credentials) => ({
  sip_trunk_auth_username: username,
  sip_trunk_auth_password: password,
});

(hasSipp() ? describe : describe.skip)('a number that is connected again with other credentials', () => {
  let harness: Harness;
  let port: number;
  const worker = createLifecycle(createLogger({ service: 'test', level: 'silent' }), { deadlineMs: 5_000 });
  beforeAll(async () => {
    port = await freePort();
    harness = await startHarness({
      PROCESSES: 'api',
      CLOCK_RATE: '1',
      CARRIERS: 'sip',
      HOST: '127.0.0.1',
      SIP_PORT: String(port),
      RTP_PORT_MIN: '33000',
      RTP_PORT_MAX: '45000',
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    });
    await startWorker(harness.context, worker, { findSpeech: speechOf(['Hello']) });
  });
  afterAll(async () => {
    await worker.stop('test');
    await harness?.close();
  });

  /** sipp calls the number and shows these credentials; `then` is what follows. */
  const callIn = (number: string, { username, password }: Credentials, then: readonly Step[]) => {
    const headers = [`[authentication username=${username} password=${password}]`];
    const provisional = [100, 180].map((status) => expectResponse(status, { optional: true }));
    return startSipp({
      target: `127.0.0.1:${port}`,
      timeoutSeconds: 30,
      steps: [
        callerRequest('INVITE', { to: number, from: CALLER, cseq: 1, sdp: true }),
        expectResponse(100, { optional: true }),
        expectResponse(401, { auth: true }),
        acknowledgeRefusal(1, number),
        callerRequest('INVITE', { to: number, from: CALLER, cseq: 2, sdp: true, headers }),
        ...provisional,
        ...then,
      ],
    });
  };
  const answered = (number: string): Step[] => [
    expectResponse(200),
    callerRequest('ACK', { to: number, from: CALLER, cseq: 2, inside: true }),
  ];
  const hungUp = [expectRequest('BYE'), respondInside(200, 'OK')];

  const liveCall = async ({ workspaceId }: InboundNumber, not?: string): Promise<string> => {
    for (;;) {
      const { body } = await harness.ask(workspaceId, 'POST', '/v2/call/list', { body: {} });
      const call = body.data.find(({ id, status }: Json) => status === 'in-progress' && id !== not);
      if (call) return call.id;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  it('takes calls by the new ones at once and by the old ones no more, and its live calls keep the old ones [sip.4] [sip.12] [numbers.8]', async () => {
    const number = await inboundNumber(harness, {
      agent: { config: { firstMessage: 'Welcome.' } },
      number: { termination_uri: 'trunk.parley.example', transport: 'tcp', ...authOf(OLD) },
    });
    const { workspaceId, phoneNumber, agent } = number;
    const challenge = 'Proxy-Authenticate: Digest realm="trunk", nonce="0a1b2c", algorithm=MD5, qop="auth"';
    const live = await callIn(phoneNumber, OLD, [
      ...answered(phoneNumber),
      expectRequest('BYE'),
      respondInside(407, 'Who are you', { headers: [challenge] }),
      `<recv request="BYE"><action>
        <ereg regexp="username=.alice.*response=" search_in="hdr" header="Proxy-Authorization:" check_it="true" assign_to="proof"/>
        <log message="[$proof]"/></action></recv>`,
      respondInside(200, 'OK'),
    ]);
    const id = await liveCall(number);

    // No route changes them in place.
    const changed = await harness.ask(workspaceId, 'PUT', `/v1/phone-number/${number.id}`, {
      body: { max_cps: 2, termination_uri: 'other.parley.example', ...authOf(NEW) },
    });
    expect(changed.status).toBe(200);
    const refused = [expectResponse(403), acknowledgeRefusal(2, phoneNumber)];
    expect(await (await callIn(phoneNumber, NEW, refused)).exited).toMatchObject({ code: 0 });

    expect((await harness.ask(workspaceId, 'DELETE', `/v1/phone-number/${number.id}`)).status).toBe(204);
    const again = await harness.ask(workspaceId, 'POST', '/v1/phone-number/sip', {
      body: {
        phone_number: phoneNumber,
        termination_uri: 'trunk.parley.example',
        transport: 'tcp',
        inbound_agent_id: agent.agent_id,
        ...authOf(NEW),
      },
    });
    expect(again.status).toBe(201);
    expect(again.text).not.toContain(NEW.username);
    expect(again.text).not.toContain(NEW.password);
    expect(await (await callIn(phoneNumber, OLD, refused)).exited).toMatchObject({ code: 0 });
    const next = await callIn(phoneNumber, NEW, [...answered(phoneNumber), ...hungUp]);
    const nextId = await liveCall(number, id);

    for (const one of [id, nextId]) await harness.ask(workspaceId, 'POST', `/v2/call/${one}/stop`);
    expect(await live.exited).toMatchObject({ code: 0 });
    expect(await next.exited).toMatchObject({ code: 0 });
    await untilStatus(harness, workspaceId, id, 'completed');
  });
});
