import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import {
  ANSWERS,
  acknowledgeRefusal,
  callerRequest,
  expectRequest,
  expectResponse,
  pause,
  requestInside,
  respond,
  respondInside,
  respondToInvite,
  type Step,
} from '@parley/testkit/sip';
import { dial, type SipProcess } from './sip-process.ts';
import { CALLED, CALLER, CREDENTIALS, inbound, matches, outbound, type Scenario, wentWell } from './stage.ts';
import { ANSWERED, CALLS, ENDS, invite } from './steps.ts';

const CANCELLED_EARLY: readonly Step[] = [
  expectRequest('INVITE'),
  respond(180, 'Ringing'),
  expectRequest('CANCEL'),
  respondInside(200, 'OK'),
];
const sentIn = ({ trace }: SipProcess, reference: string): unknown[] =>
  trace.filter(({ callId }) => callId === reference);
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** The same Call-ID with another tag: another call. */
const withTag = (step: Step, tag: string): Step => step.replace('tag=[pid]caller[call_number]', `tag=${tag}`);
const CANCEL_OF_CALLER: Step = `<send><![CDATA[
CANCEL sip:${CALLED}@[remote_ip]:[remote_port];transport=[transport] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch-2]
From: <sip:${CALLER}@[local_ip]:[local_port]>;tag=[pid]caller[call_number]
To: <sip:${CALLED}@[remote_ip]:[remote_port]>
Call-ID: [call_id]
CSeq: 1 CANCEL
Max-Forwards: 70
Content-Length: 0

]]></send>`;

/** Messages and decisions that cross each other, and set-ups that fail half-way. */
export const CROSSINGS: readonly Scenario[] = [
  {
    name: 'a call that is hung up before its trunk is known does not leave',
    isCore: true,
    run: async ({ here, trunk }) => {
      const reference = randomUUID();
      const dialing = dial(here, trunk(9), { reference });
      await here.carrier.hangup(reference);
      const call = await dialing;
      matches(await call.until('ended'), { cause: 'local', answeredAt: null });
      assert.ok(!here.trace.some(({ callId }) => callId === reference), 'nothing was sent');
    },
  },
  {
    name: 'a call that is hung up while its state is stored does not leave',
    isCore: true,
    run: async ({ here, world, sipp, trunk }) => {
      const peer = await sipp({ steps: ANSWERED });
      const reference = randomUUID();
      world.beforeSave = async () => {
        world.beforeSave = undefined;
        await here.carrier.hangup(reference);
      };
      const call = await dial(here, trunk(peer.port), { reference });
      matches(await call.until('ended'), { cause: 'local', answeredAt: null });
      assert.deepEqual(sentIn(here, reference), []);
      await peer.stop();
    },
  },
  {
    name: 'a call whose state is stored too slowly for its slot does not leave, and is no call',
    isCore: true,
    run: async ({ here, world, sipp, trunk }) => {
      const peer = await sipp({ steps: ANSWERED });
      let isTooLate = false;
      world.beforeSave = async () => {
        world.beforeSave = undefined;
        await wait(100);
        isTooLate = true;
      };
      const call = await dial(here, trunk(peer.port), { isTooLate: () => isTooLate });
      assert.equal(call.isSent, false);
      assert.deepEqual([sentIn(here, call.reference), call.events], [[], []]);
      await peer.stop();
    },
  },
  {
    name: 'an answer that fails on our side is given again, and a re-INVITE that does is to come again',
    isCore: true,
    run: async (stage) => {
      const { world } = stage;
      let failures = 1;
      world.beforeAudio = () => {
        failures -= 1;
        if (failures === 0) throw new Error('No audio at present');
      };
      try {
        await inbound('', {
          steps: [
            ...CALLS,
            callerRequest('INVITE', { ...ENDS, cseq: 2, inside: true, sdp: true }),
            expectResponse(100, { optional: true }),
            expectResponse(500),
            acknowledgeRefusal(2),
            callerRequest('BYE', { ...ENDS, cseq: 3, inside: true }),
            expectResponse(200),
          ],
          act: async ({ reference, until }, { here }) => {
            await assert.rejects(here.carrier.answer(reference), /No audio at present/);
            failures = 2;
            await here.carrier.answer(reference);
            matches(await until('ended'), { cause: 'remote' });
          },
        }).run(stage);
      } finally {
        world.beforeAudio = undefined;
      }
    },
  },
  {
    name: 'an answer to a call that another process has by now is acknowledged and hung up',
    isCore: true,
    run: async ({ here, sipp, trunk }) => {
      const peer = await sipp({
        steps: [
          expectRequest('INVITE'),
          respond(180, 'Ringing'),
          pause(500),
          respond(200, 'OK', { sdp: true }),
          expectRequest('ACK'),
          expectRequest('BYE'),
          respondInside(200, 'OK'),
        ],
      });
      const call = await dial(here, trunk(peer.port));
      await call.until('ringing');
      here.carrier.detach(call.reference);
      await wentWell(peer);
      assert.ok(!call.events.some(({ type }) => type === 'answered'), 'it counts as answered');
    },
  },
  outbound(
    'a challenge that crosses a hang-up does not make the call again',
    {
      credentials: CREDENTIALS,
      steps: [
        ...CANCELLED_EARLY,
        respondToInvite(401, 'Who are you', {
          headers: ['WWW-Authenticate: Digest realm="trunk", nonce="0a1b2c", algorithm=MD5, qop="auth"'],
        }),
        expectRequest('ACK'),
        // Another INVITE would be unexpected here.
        pause(700),
      ],
      ends: { cause: 'local', answeredAt: null },
      act: async (call, { here }) => {
        await call.until('ringing');
        await here.carrier.hangup(call.reference);
      },
    },
    true,
  ),
  {
    name: 'a re-INVITE to a process that has handed the call over is to come again',
    isCore: true,
    run: async ({ here, sipp, trunk }) => {
      const peer = await sipp({
        steps: [
          ...ANSWERED,
          pause(500),
          requestInside('INVITE', 1, { sdp: true }),
          expectResponse(100, { optional: true }),
          `<recv response="500"><action><ereg regexp="[0-9]+" search_in="hdr" header="Retry-After:" check_it="true" assign_to="later"/><log message="[$later]"/></action></recv>`,
          acknowledgeRefusal(1),
        ],
      });
      const call = await dial(here, trunk(peer.port));
      await call.until('media');
      here.carrier.detach(call.reference);
      await wentWell(peer);
    },
  },
  {
    name: 'a call whose state cannot be stored does not leave, which is no failure of its trunk',
    isCore: true,
    run: async ({ here, world, sipp, trunk }) => {
      const peer = await sipp({ steps: ANSWERED });
      let tries = 0;
      world.beforeSave = async () => {
        tries += 1;
        throw new Error('The call is over');
      };
      try {
        const call = await dial(here, trunk(peer.port));
        assert.deepEqual([call.isSent, tries, sentIn(here, call.reference), call.events], [false, 3, [], []]);
      } finally {
        world.beforeSave = undefined;
        await peer.stop();
      }
    },
  },
  {
    name: 'a call whose state is stored at the second try leaves',
    isCore: true,
    run: async ({ here, world, sipp, trunk }) => {
      const peer = await sipp({ steps: ANSWERS });
      world.beforeSave = async () => {
        world.beforeSave = undefined;
        throw new Error('No connection is free');
      };
      const call = await dial(here, trunk(peer.port));
      await call.until('media');
      await here.carrier.hangup(call.reference);
      await wentWell(peer);
    },
  },
  {
    name: 'a call whose connection is lost before it leaves ends in our own words',
    isCore: true,
    // That of the trunk, which is a bare TCP server here.
    topologies: ['tcp'],
    run: async ({ here, world, trunk }) => {
      const sockets: Socket[] = [];
      const server = createServer((socket) => void sockets.push(socket.on('error', () => {})));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      world.beforeSave = async () => {
        world.beforeSave = undefined;
        server.close();
        for (const socket of sockets) socket.destroy();
        await wait(100);
      };
      const call = await dial(here, trunk(port));
      const { cause, provider } = await call.until('ended');
      assert.deepEqual([cause, provider], ['transient', { code: null, text: 'The connection was lost' }]);
    },
  },
  {
    name: 'a call whose number cannot be read ends without a word of the trunk',
    isCore: true,
    run: async ({ here, trunk }) => {
      const call = await dial(here, trunk(9), {
        openConnection: () => Promise.reject(new Error('the database is gone')),
      });
      const { cause, provider } = await call.until('ended');
      assert.deepEqual(
        [cause, provider],
        ['transient', { code: null, text: 'Parley could not place the call' }],
      );
    },
  },
  {
    name: 'a call without a free port for its audio leaves nothing behind: the next one with its id goes',
    isCore: true,
    run: async ({ sipp, trunk, process }) => {
      const [first, second] = [await sipp({ steps: ANSWERS }), await sipp({ steps: ANSWERS })];
      const one = process({ rtpPorts: { min: 32_000, max: 32_001 } });
      try {
        const call = await dial(one, trunk(first.port));
        await call.until('media');
        const reference = randomUUID();
        const failed = await dial(one, trunk(second.port), { reference });
        matches(await failed.until('ended'), {
          cause: 'transient',
          provider: { code: null, text: 'Parley could not place the call' },
        });
        one.carrier.detach(reference);
        await one.carrier.hangup(call.reference);
        await call.until('ended');
        await wentWell(first);
        await wait(200);
        const again = await dial(one, trunk(second.port), { reference });
        await again.until('media');
        await one.carrier.hangup(reference);
        await wentWell(second);
      } finally {
        await one.stop();
      }
    },
  },
  {
    name: 'a caller that gives up while its trunk is looked up gets 487, and nobody is offered the call',
    isCore: true,
    run: async (stage) => {
      stage.world.beforeLookUp = () => wait(400);
      let offers = 0;
      try {
        await inbound('', {
          isOffered: false,
          steps: (topology) => [
            invite(),
            // The edge's own.
            ...(topology === 'edge' ? [expectResponse(100)] : []),
            pause(100),
            topology === 'edge' ? CANCEL_OF_CALLER.replace('branch-2', 'branch-3') : CANCEL_OF_CALLER,
            expectResponse(200),
            expectResponse(487),
            acknowledgeRefusal(1, CALLED),
          ],
        }).run({
          ...stage,
          takes: {
            get listener() {
              return stage.takes.listener;
            },
            set listener(listener) {
              stage.takes.listener = async (ring) => {
                offers += 1;
                return listener(ring);
              };
            },
          },
        });
        assert.equal(offers, 0);
      } finally {
        stage.world.beforeLookUp = undefined;
      }
    },
  },
  inbound(
    'a second INVITE of a Call-ID is 482 while the first call is up, and another call after it',
    {
      steps: [
        ...CALLS,
        withTag(invite({}, 2), 'second'),
        expectResponse(100, { optional: true }),
        expectResponse(482),
        acknowledgeRefusal(2, CALLED),
      ],
      act: async ({ reference, until }, { here }) => {
        await here.carrier.answer(reference);
        await until('media');
      },
    },
    true,
  ),
  inbound(
    'an INVITE without Contact is refused by 400',
    {
      isOffered: false,
      steps: [
        invite().replace(/Contact: .*\n/, ''),
        expectResponse(100, { optional: true }),
        expectResponse(400),
        acknowledgeRefusal(1, CALLED),
      ],
    },
    true,
  ),
];
