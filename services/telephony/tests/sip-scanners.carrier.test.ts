import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scan } from '@parley/sip-edge/testing';
import { eventually, freePort } from '@parley/testkit';
import { ANSWERS, hasSipp, startSipp } from '@parley/testkit/sip';
import { dial, type SipProcess, sipProcess, sipWorld, trunkAt } from './sip/sip-process.ts';
import { CALLED, CALLER } from './sip/stage.ts';

const UNKNOWN_NUMBER = '+12025550000';
const METHODS = ['REGISTER', 'INVITE', 'OPTIONS', 'SUBSCRIBE', 'INVITE', 'BYE'];
const ADDRESSES = Array.from({ length: 25 }, (_, n) => `127.66.1.${n + 1}`);
/** What a worker looks at: 200 requests of unknown sources at once, and 100 a second. */
const BURST = 200;
const PER_SECOND = 100;
const CONNECTIONS = 3;
/** By then all requests have been looked at. */
const QUIET_MS = 2_000;
const MAX_GROWTH_BYTES = 2_000_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The memory in use, and the open sockets of this process. */
const inUse = async () => {
  collectGarbage();
  await sleep(50);
  collectGarbage();
  return {
    bytes: process.memoryUsage().heapUsed,
    sockets: process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length,
  };
};

function request(n: number, address: string): string {
  const method = METHODS[n % METHODS.length] ?? 'OPTIONS';
  const to = n % 2 === 0 ? CALLED : UNKNOWN_NUMBER;
  return [
    `${method} sip:${to}@127.0.0.1;transport=tcp SIP/2.0`,
    `Via: SIP/2.0/TCP ${address}:5060;branch=z9hG4bK${randomUUID()}`,
    `From: <sip:${CALLER}@${address}>;tag=${n}`,
    `To: <sip:${to}@127.0.0.1>${n % 11 === 0 ? ';tag=guess' : ''}`,
    `Contact: <sip:${address}:5060;transport=tcp>`,
    `Call-ID: ${randomUUID()}`,
    `CSeq: 1 ${method}`,
    'Max-Forwards: 70',
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');
}

const responsesIn = (text: string): string[] => text.split('\r\n\r\n').filter((response) => response !== '');

/** A response without what differs from one request to the next. */
const formOf = (response: string): string =>
  response.replace(/^(via|from|to|call-id): .*$/gim, '$1').replace(/nonce="[^"]*"/, 'nonce');

describe('scanners of a worker that is called without an edge [sip.12]', () => {
  let port: number;
  let here: SipProcess;
  let offers = 0;
  const world = sipWorld();
  const sockets: Socket[] = [];
  beforeAll(async () => {
    port = await freePort();
    const credentials = { username: 'alice', password: 'wonderland' };
    const trunk = { host: '127.0.0.9', port: null, transport: 'tcp' as const, credentials };
    world.numbers = [
      { numberId: 'number', workspaceId: 'workspace', phoneNumber: CALLED, isActive: true, trunk },
    ];
    here = sipProcess(world, { listeners: [{ transport: 'tcp', host: '127.0.0.1', port }] });
    here.carrier.receive(async () => {
      offers += 1;
      return true;
    }, here.lifecycle);
    await eventually(async () => (await open('127.0.0.1')).socket.destroy());
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await here.stop();
  });

  const open = async (localAddress: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    let text = '';
    socket
      .on('error', () => {})
      .on('data', (data) => {
        text += data.toString();
      });
    await once(socket, 'connect');
    return { socket, text: () => text };
  };

  /** So many requests from all addresses, on several connections of each. Returns the responses. */
  const scanBy = async (count: number): Promise<string[]> => {
    const from = ADDRESSES.flatMap((address) => Array.from({ length: CONNECTIONS }, () => address));
    const each = Math.ceil(count / from.length);
    const connections = await Promise.all(from.map(open));
    for (const [n, { socket }] of connections.entries())
      for (let k = 0; k < each; k += 1) socket.write(request(n + k, from[n] ?? ''));
    const responses = (): string[] => connections.flatMap(({ text }) => responsesIn(text()));
    await eventually(() => expect(responses().length).toBeGreaterThan(0));
    await sleep(QUIET_MS);
    for (const { socket } of connections) socket.destroy();
    return responses();
  };

  it('make no call, leave nothing behind, and get no response that says what exists', async () => {
    await scanBy(1_500);
    const before = await inUse();
    const beganMs = performance.now();
    const responses = await scanBy(4_500);
    const seconds = (performance.now() - beganMs) / 1_000;
    expect(offers).toBe(0);
    expect(here.trace).toEqual([]);
    expect(responses.length).toBeLessThanOrEqual(BURST + PER_SECOND * (seconds + 1));
    // The same challenge of every INVITE, whatever it called; nothing else gets a response.
    const forms = new Set(responses.map(formOf));
    expect([...forms]).toHaveLength(1);
    expect([...forms][0]).toMatch(/^SIP\/2\.0 401 [\s\S]*CSeq: 1 INVITE/);
    const asked = responses.map((response) => /^To: <sip:(\S+)@/m.exec(response)?.[1]);
    expect(new Set(asked)).toEqual(new Set([CALLED, UNKNOWN_NUMBER]));
    await eventually(async () => {
      const after = await inUse();
      expect(after.sockets).toBeLessThanOrEqual(before.sockets);
      expect(after.bytes - before.bytes).toBeLessThan(MAX_GROWTH_BYTES);
    });
  });

  it('take no connections from a trunk, however many they hold', async () => {
    here.carrier.knowTrunks(new Map([['127.0.0.9', new Set(['one'])]]));
    const strangers = await Promise.all(
      Array.from({ length: 250 }, (_, n) => open(ADDRESSES[n % ADDRESSES.length] ?? '')),
    );
    await eventually(() => expect(strangers.filter(({ socket }) => socket.destroyed)).toHaveLength(50));
    const trunk = await open('127.0.0.9');
    trunk.socket.write(request(4, '127.0.0.9'));
    await eventually(() => expect(trunk.text()).toMatch(/^SIP\/2\.0 401 /));
    expect(strangers.filter(({ socket }) => socket.destroyed)).toHaveLength(50);
    for (const { socket } of [...strangers, trunk]) socket.destroy();
  });

  (hasSipp() ? it : it.skip)(
    'that send SIP to the port of its audio get no response, and the call goes on',
    async () => {
      const peer = await startSipp({ steps: ANSWERS });
      const call = await dial(here, trunkAt(peer.port));
      await call.until('media');
      const offer = here.trace.find(({ message }) => message.startsWith('INVITE '))?.message ?? '';
      const audioPort = Number(/^m=audio (\d+)/m.exec(offer)?.[1]);
      expect(await scan({ port: audioPort, count: 2_000, addresses: 20 })).toMatchObject({ answered: 0 });
      expect(call.events.map(({ type }) => type)).not.toContain('ended');
      await here.carrier.hangup(call.reference);
      expect(await call.until('ended')).toMatchObject({ cause: 'local' });
      expect(await peer.exited).toMatchObject({ code: 0 });
    },
  );
});
