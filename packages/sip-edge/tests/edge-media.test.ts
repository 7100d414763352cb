import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, freePort } from '@parley/testkit';
import {
  CarrierDouble,
  hasRtpengine,
  headerOf,
  kamailio,
  type RunningRtpengine,
  type SipMessage,
  startEdge,
  startRtpengine,
  WorkerDouble,
} from '../src/testing/index.ts';

const installed = kamailio && hasRtpengine() ? describe : describe.skip;
const PORTS = { min: 47_000, max: 47_099 };
const PUBLIC = '192.0.2.77';
const NUMBER = '+4930';
const THEIRS = { address: '192.0.2.9', port: 4_000 };
const OURS = { address: '10.0.3.7', port: 10_000 };
/** What carriers and workers read instead. */
const OUTSIDE = { address: PUBLIC, isOfRtpengine: true };
const INSIDE = { address: '127.0.0.1', isOfRtpengine: true };
const SETTLED_MS = 100;
/** Of a response that is not acknowledged: after 0.5 and 1.5 seconds. */
const REPEATED_MS = 1_800;

installed('the edge beside rtpengine', () => {
  const releases: (() => unknown)[] = [];
  let rtpengine: RunningRtpengine;
  let port: number;
  let internalPort: number;
  let trunk: CarrierDouble;
  let stop = async (): Promise<void> => {};
  beforeAll(async () => {
    [port, internalPort] = [await freePort(), await freePort()];
    rtpengine = await startRtpengine({
      ...{ controlPort: await freePort(), ports: PORTS, publicAddress: PUBLIC },
      // By default it keeps a deleted session for another 30 seconds.
      more: ['--delete-delay=0'],
    });
    const edge = await startEdge({
      ...{ address: '127.0.0.1', port, internalAddress: '127.0.0.1', internalPort },
      ...{ privateNetworks: ['127.0.0.0/8'], sources: ['127.0.0.0/8'], rtpengine: rtpengine.socket },
    });
    trunk = await CarrierDouble.open('127.0.0.10');
    stop = async () => {
      trunk.close();
      await edge.stop();
      await rtpengine.stop();
    };
  });
  afterAll(() => stop());
  afterEach(async () => {
    for (const release of releases.splice(0).reverse()) await release();
    trunk.received.length = 0;
    // Workers that are gone take no more calls.
    await eventually(async () => expect((await ready()).status).toBe(503));
  });

  const ready = () => fetch(`http://127.0.0.1:${internalPort}/readyz`);
  const worker = async (options: Partial<Parameters<typeof WorkerDouble.connect>[0]> = {}) => {
    const double = await WorkerDouble.connect({ url: `ws://127.0.0.1:${internalPort}`, ...options });
    releases.push(() => double.crash());
    return double;
  };

  const isOver = (callId: string) =>
    eventually(async () => expect(await rtpengine.calls()).not.toContain(callId), { timeoutMs: 3_000 });
  /** Of a call that goes on. */
  const isThere = async (callId: string): Promise<void> => {
    await sleep(SETTLED_MS);
    expect(await rtpengine.calls()).toContain(callId);
  };

  it('is in every description of a call that comes in, whichever end offers, until one hangs up', async () => {
    const one = await worker();
    const call = callIn(trunk, port, sdpOf(THEIRS));
    const answer = await call.answer(1);
    expect(audioOf(answer)).toEqual(OUTSIDE);
    const invite = received(one, 'INVITE');
    expect(audioOf(invite.text)).toEqual(INSIDE);
    call.request('ACK', 1);
    for (const [cseq, method] of [[2, 'INVITE'] as const, [3, 'UPDATE'] as const]) {
      call.request(method, cseq, sdpOf(THEIRS));
      expect(audioOf(await call.answer(cseq))).toEqual(OUTSIDE);
      expect(audioOf(received(one, method).text)).toEqual(INSIDE);
      if (method === 'INVITE') call.request('ACK', cseq);
    }
    for (const method of ['INVITE', 'UPDATE']) {
      requestInside(one, invite, method, sdpOf(OURS));
      const offer = await trunk.receives(new RegExp(`^${method} `));
      expect(audioOf(offer)).toEqual(OUTSIDE);
      trunk.answer(offer, '200 OK', port, sdpOf(THEIRS));
      await eventually(() => expect(audioOf(answerOf(one, method)?.text ?? '')).toEqual(INSIDE));
    }
    await isThere(call.callId);
    call.request('BYE', 4);
    await isOver(call.callId);
  });

  it('is in both descriptions of a call that comes in without one', async () => {
    const one = await worker();
    const call = callIn(trunk, port);
    expect(audioOf(await call.answer(1))).toEqual(OUTSIDE);
    call.request('ACK', 1, sdpOf(THEIRS));
    await eventually(() => expect(audioOf(received(one, 'ACK').text)).toEqual(INSIDE));
    call.request('BYE', 2);
    await isOver(call.callId);
  });

  it.each([488, 491, 500])(
    'keeps the audio of a call in which either end refuses an offer by %d',
    async (status) => {
      let answer = 200;
      const one = await worker({ answer: () => answer });
      const call = callIn(trunk, port, sdpOf(THEIRS));
      await call.answer(1);
      const invite = received(one, 'INVITE');
      answer = status;
      call.request('INVITE', 2, sdpOf(THEIRS));
      await call.answer(2, status);
      call.request('ACK', 2);
      await isThere(call.callId);
      requestInside(one, invite, 'INVITE', sdpOf(OURS));
      const offer = await trunk.receives(/^INVITE /);
      trunk.answer(offer, `${status} No`, port);
      await eventually(() => expect(answerOf(one, 'INVITE')?.status).toBe(status));
      await isThere(call.callId);
      call.request('BYE', 3);
      await isOver(call.callId);
    },
  );

  it('keeps the audio of a call that one worker refuses and the next one takes', async () => {
    const full = await worker({ freeCalls: 1_000, answer: () => 503 });
    const free = await worker({ freeCalls: 1 });
    const call = callIn(trunk, port, sdpOf(THEIRS));
    expect(audioOf(await call.answer(1))).toEqual(OUTSIDE);
    expect(audioOf(received(full, 'INVITE').text)).toEqual(INSIDE);
    expect(audioOf(received(free, 'INVITE').text)).toEqual(INSIDE);
    await isThere(call.callId);
    call.request('BYE', 2);
    await isOver(call.callId);
  });

  it.each([
    ['that no worker takes', 503, 503],
    ['that a worker refuses', 486, 486],
  ])('keeps nothing of a call %s', async (_, status, expected) => {
    await worker({ answer: () => status });
    const call = callIn(trunk, port, sdpOf(THEIRS));
    await call.answer(1, expected);
    await isOver(call.callId);
  });

  it('keeps nothing of a call whose caller gives up', async () => {
    const one = await worker({ answer: () => 180 });
    const call = callIn(trunk, port, sdpOf(THEIRS));
    await call.answer(1, 180);
    await isThere(call.callId);
    call.request('CANCEL', 1);
    await eventually(() => received(one, 'CANCEL'));
    one.respond(received(one, 'INVITE'), 487);
    await call.answer(1, 487);
    await isOver(call.callId);
  });

  it.each([
    ['refuses', 486],
    ['challenges', 407],
  ])('keeps nothing of a call of ours that a carrier %s', async (_, status) => {
    const one = await worker();
    const callId = one.request(
      'INVITE',
      'sip:+4930@carrier.invalid',
      [
        ['X-Parley-Target', `sip:${trunk.address}:${trunk.port};transport=udp`],
        ['Contact', `<sip:any@${one.id}.invalid;transport=ws>`],
        ['Content-Type', 'application/sdp'],
      ],
      sdpOf(OURS),
    );
    const invite = await trunk.receives(/^INVITE /);
    expect(audioOf(invite)).toEqual(OUTSIDE);
    await isThere(callId);
    trunk.answer(invite, `${status} No`, port);
    await isOver(callId);
  });

  it('sends a refusal no more once the carrier has acknowledged it', async () => {
    await worker({ answer: () => 486 });
    const call = callIn(trunk, port, sdpOf(THEIRS));
    await call.answer(1, 486);
    call.request('ACK', 1);
    trunk.received.length = 0;
    await sleep(REPEATED_MS);
    expect(trunk.received).toEqual([]);
  });
});

const headersOf = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(`^${name}: (.*)\\r$`, 'gim'))].map(([, value = '']) => value);

/** A call of the trunk's, and what it sends within the call. */
function callIn(trunk: CarrierDouble, port: number, offer = '') {
  const callId = randomUUID();
  const own = `${trunk.address}:${trunk.port}`;
  const branch = `z9hG4bK${randomUUID()}`;
  let target = `sip:${NUMBER}@127.0.0.1:${port}`;
  let to = `<sip:${NUMBER}@127.0.0.1>`;
  let routes: string[] = [];
  const request = (method: string, cseq: number, sdp = ''): void => {
    // The acknowledgement of a refusal, and a CANCEL, belong to the transaction of their INVITE.
    const isOfInvite = cseq === 1 && (method !== 'ACK' || routes.length === 0);
    trunk.send(
      [
        `${method} ${target} SIP/2.0`,
        `Via: SIP/2.0/UDP ${own};branch=${isOfInvite ? branch : `z9hG4bK${randomUUID()}`};rport`,
        'Max-Forwards: 70',
        ...routes.map((route) => `Route: ${route}`),
        `From: <sip:+491700000000@${own}>;tag=theirs`,
        `To: ${method === 'CANCEL' ? to.replace(/;tag=.*/, '') : to}`,
        `Call-ID: ${callId}`,
        `CSeq: ${cseq} ${method}`,
        `Contact: <sip:carrier@${own}>`,
        ...(sdp ? ['Content-Type: application/sdp'] : []),
        `Content-Length: ${sdp.length}`,
        '',
        sdp,
      ].join('\r\n'),
      { port },
    );
  };
  request('INVITE', 1, offer);
  const answer = async (cseq: number, status = 200): Promise<string> => {
    const text = await trunk.receives(new RegExp(`^SIP/2\\.0 ${status} [^]*^CSeq: ${cseq} `, 'm'));
    to = headersOf(text, 'To')[0] ?? to;
    if (status === 200) {
      target = /<(.*)>/.exec(headersOf(text, 'Contact')[0] ?? '')?.[1] ?? target;
      if (cseq === 1) routes = headersOf(text, 'Record-Route').reverse();
    }
    return text;
  };
  return { callId, request, answer };
}

/** The last request of a method. */
function received(worker: WorkerDouble, method: string): SipMessage {
  const found = worker.received.findLast((message) => message.method === method);
  if (!found) throw new Error(`${method} was not received`);
  return found;
}

/** The last final response to a method. */
const answerOf = (worker: WorkerDouble, method: string): SipMessage | undefined =>
  worker.received.findLast(
    (message) => (message.status ?? 0) >= 200 && headerOf(message, 'cseq').endsWith(method),
  );

/** A request of the worker's within a call that came in by `invite`. */
function requestInside(worker: WorkerDouble, invite: SipMessage, method: string, sdp: string): void {
  const routes = invite.headers.filter(([name]) => name.toLowerCase() === 'record-route');
  worker.request(
    method,
    /<(.*)>/.exec(headerOf(invite, 'contact'))?.[1] ?? '',
    [
      ['Call-ID', headerOf(invite, 'call-id')],
      ['From', `${headerOf(invite, 'to').replace(/;tag=.*/, '')};tag=${worker.id}`],
      ['To', headerOf(invite, 'from')],
      ['Contact', `<sip:any@${worker.id}.invalid;transport=ws>`],
      ...routes.map(([, value]): [string, string] => ['Route', value]),
    ],
    sdp,
  );
}

type Audio = { address: string; port: number };

const sdpOf = ({ address, port }: Audio): string =>
  [
    'v=0',
    `o=- 1 1 IN IP4 ${address}`,
    's=-',
    `c=IN IP4 ${address}`,
    't=0 0',
    `m=audio ${port} RTP/AVP 0`,
    '',
  ].join('\r\n');

function audioOf(text: string): { address: string | undefined; isOfRtpengine: boolean } {
  const port = Number(/^m=audio (\d+) /m.exec(text)?.[1]);
  return {
    address: /^c=IN IP4 (\S+)/m.exec(text)?.[1],
    isOfRtpengine: port >= PORTS.min && port <= PORTS.max,
  };
}
