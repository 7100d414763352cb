import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ANSWERS,
  expectRequest,
  expectResponse,
  hasSipp,
  pause,
  requestInside,
  respond,
  respondInside,
  type Sipp,
  type SippOptions,
  startSipp,
} from '@parley/testkit/sip';
import { dial, type SipProcess, sipProcess, sipWorld, trunkAt } from './sip-process.ts';

const isInstalled = hasSipp();
if (!isInstalled) console.warn('sipp is not installed (apt-get install sip-tester): its tests are skipped');
const withSipp = isInstalled ? describe : describe.skip;

const world = sipWorld();
let here: SipProcess;
const peers: Sipp[] = [];

beforeAll(() => {
  here = sipProcess(world);
});
afterAll(async () => {
  await Promise.all(peers.map((peer) => peer.stop()));
  await here?.stop();
});

async function trunk(steps: SippOptions['steps'], options: Partial<SippOptions> = {}) {
  const peer = await startSipp({ steps, ...options });
  peers.push(peer);
  return peer;
}

async function wentWell(peer: Sipp) {
  const { code, errors } = await peer.exited;
  expect({ code, errors }).toMatchObject({ code: 0 });
}

withSipp('a call to sipp as a trunk, over TCP', () => {
  it('rings, is answered and hung up by us [sip.3]', async () => {
    const peer = await trunk(ANSWERS);
    const call = await dial(here, trunkAt(peer.port));
    expect(call.legId).toBe(`call-${call.reference}`);
    await call.until('ringing');
    const { at } = await call.until('answered');
    await call.until('media');
    await here.carrier.hangup(call.reference);
    expect(await call.until('ended')).toMatchObject({ cause: 'local', answeredAt: at, legId: call.legId });
    await wentWell(peer);
    here.carrier.detach(call.reference);
  });

  it('is hung up by the far end [sip.3]', async () => {
    const peer = await trunk([
      expectRequest('INVITE'),
      respond(180, 'Ringing'),
      respond(200, 'OK', { sdp: true }),
      expectRequest('ACK'),
      pause(200),
      requestInside('BYE', 1),
      expectResponse(200),
    ]);
    const call = await dial(here, trunkAt(peer.port));
    expect(await call.until('ended')).toMatchObject({ cause: 'remote' });
    await wentWell(peer);
  });

  const outcomes: [number, string, string, string[]?][] = [
    [486, 'Busy Here', 'busy'],
    [600, 'Busy Everywhere', 'busy'],
    [480, 'Temporarily Unavailable', 'no_answer'],
    [404, 'Not Found', 'refused'],
    [403, 'Forbidden', 'refused'],
    [603, 'Decline', 'refused'],
    [302, 'Moved Temporarily', 'refused'],
    [488, 'Not Acceptable Here', 'refused'],
    [500, 'Server Internal Error', 'transient'],
    [503, 'Service Unavailable', 'transient'],
    [503, 'Service Unavailable', 'busy', ['Reason: Q.850;cause=17;text="User busy"']],
  ];
  it.concurrent.each(outcomes)(
    'ends with the cause of %i %s: %s %p [sip.7]',
    async (status, reason, cause, headers = []) => {
      const peer = await trunk([
        expectRequest('INVITE'),
        respond(100, 'Trying'),
        respond(status, reason, { headers }),
        expectRequest('ACK'),
      ]);
      const call = await dial(here, trunkAt(peer.port));
      const ended = await call.until('ended');
      expect(ended).toMatchObject({ cause, answeredAt: null, provider: { code: String(status) } });
      expect(ended.provider?.text).toContain(reason);
      await wentWell(peer);
    },
  );

  it('is cancelled while it rings [sip.3]', async () => {
    const peer = await trunk([
      expectRequest('INVITE'),
      respond(180, 'Ringing'),
      expectRequest('CANCEL'),
      respondInside(200, 'OK'),
      `<send><![CDATA[
SIP/2.0 487 Request Terminated
[last_Via:]
[last_From:]
[last_To:];tag=[pid]trunk[call_number]
[last_Call-ID:]
CSeq: 1 INVITE
Content-Length: 0

]]></send>`,
      expectRequest('ACK'),
    ]);
    const call = await dial(here, trunkAt(peer.port));
    await call.until('ringing');
    await here.carrier.hangup(call.reference);
    expect(await call.until('ended')).toMatchObject({ cause: 'local', answeredAt: null });
    await wentWell(peer);
  });
});
