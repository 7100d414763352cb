import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, freePort } from '@parley/testkit';
import { WebSocketServer } from 'ws';
import { dial, type SipProcess, sipProcess, sipWorld, trunkAt } from './sip/sip-process.ts';

const TRUNK = { host: '127.0.0.1', port: 5_999, transport: 'tcp' as const, credentials: null };

describe('unknown sources that connect [sip.12]', () => {
  let port: number;
  let here: SipProcess;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    port = await freePort();
    here = sipProcess(sipWorld(), { listeners: [{ transport: 'tcp', host: '127.0.0.1', port }] });
    here.carrier.receive(async () => false, here.lifecycle);
    await eventually(async () => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.destroy();
    });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await here.stop();
  });

  it('from one address have ten connections, and leave room for others', async () => {
    let closed = 0;
    const open = async (localAddress: string): Promise<Socket> => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      sockets.push(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        closed += 1;
      });
      await once(socket, 'connect');
      return socket;
    };
    for (let n = 0; n < 12; n += 1) await open('127.0.0.77');
    await eventually(() => expect(closed).toBe(2));
    await open('127.0.0.78');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(closed).toBe(2);
  });
});

describe('a trunk that asks with OPTIONS before its first call [sip.12]', () => {
  const options = (port: number): string =>
    [
      `OPTIONS sip:127.0.0.1:${port};transport=tcp SIP/2.0`,
      'Via: SIP/2.0/TCP 127.0.0.1:5060;branch=z9hG4bK1',
      'From: <sip:qualify@127.0.0.1>;tag=q',
      'To: <sip:parley@127.0.0.1>',
      `Call-ID: ${randomUUID()}`,
      'CSeq: 1 OPTIONS',
      'Max-Forwards: 70',
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n');

  it('gets a response once its address is known, and on a connection of ours', async () => {
    const port = await freePort();
    const here = sipProcess(sipWorld(), { listeners: [{ transport: 'tcp', host: '127.0.0.1', port }] });
    here.carrier.receive(async () => false, here.lifecycle);
    const received = (socket: Socket): (() => string) => {
      let text = '';
      socket
        .on('error', () => {})
        .on('data', (data) => {
          text += data.toString();
        });
      return () => text;
    };
    const socket = await eventually(async () => {
      const one = connect(port, '127.0.0.1');
      await once(one, 'connect');
      return one;
    });
    const response = received(socket);
    socket.write(options(port));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(response()).toBe('');
    here.carrier.knowTrunks(new Map([['127.0.0.1', new Set(['one'])]]));
    socket.write(options(port));
    await eventually(() => expect(response()).toMatch(/^SIP\/2\.0 200 OK/));
    here.carrier.knowTrunks(new Map());

    const trunk = createServer();
    const connected = once(trunk, 'connection');
    await new Promise<void>((resolve) => trunk.listen(0, '127.0.0.1', resolve));
    const { port: trunkPort } = trunk.address() as AddressInfo;
    const pinged = here.carrier.ping({ ...TRUNK, port: trunkPort });
    const [ours] = (await connected) as [Socket];
    const heard = received(ours);
    ours.write(options(port));
    await eventually(() => expect(heard()).toMatch(/SIP\/2\.0 200 OK/));
    ours.destroy();
    socket.destroy();
    trunk.close();
    await pinged;
    await here.stop();
  });
});

describe('a trunk behind the edge [sip.35]', () => {
  it('is down if the edge responds in its place, and up if it responds itself', async () => {
    const edgePort = await freePort();
    let server = '';
    const edge = new WebSocketServer({ port: edgePort, host: '127.0.0.1', handleProtocols: () => 'sip' });
    edge.on('connection', (socket) => {
      socket.on('message', (data: Buffer) => {
        const text = data.toString();
        const kept = text.split('\r\n').filter((line) => /^(via|from|to|call-id|cseq):/i.test(line));
        const to = kept.map((line) => (/^to:/i.test(line) ? `${line};tag=edge` : line));
        const own = server === '' ? [] : [`Server: ${server}`];
        socket.send(['SIP/2.0 500 Server Error', ...to, ...own, 'Content-Length: 0', '', ''].join('\r\n'));
      });
    });
    const here = sipProcess(sipWorld(), { edgeUrls: [`ws://127.0.0.1:${edgePort}`] });
    server = 'Parley';
    expect(await here.carrier.ping(TRUNK)).toMatchObject({ isReachable: false, status: null });
    server = 'Trunk';
    expect(await here.carrier.ping(TRUNK)).toMatchObject({ isReachable: true, status: 500 });
    await here.stop();
    for (const client of edge.clients) client.terminate();
    await new Promise((resolve) => edge.close(resolve));
  });

  it('is called at the server that a redirect names', async () => {
    const port = await freePort();
    const targets: string[] = [];
    const edge = new WebSocketServer({ port, host: '127.0.0.1', handleProtocols: () => 'sip' });
    edge.on('connection', (socket) => {
      socket.on('message', (data: Buffer) => {
        const text = data.toString();
        if (!text.startsWith('INVITE ')) return;
        targets.push(/^X-Parley-Target: (.*?)\r?$/m.exec(text)?.[1] ?? '');
        const copied = text.split('\r\n').filter((line) => /^(via|from|to|call-id|cseq):/i.test(line));
        const lines = copied.map((line) => (/^to:/i.test(line) ? `${line};tag=edge` : line));
        const isFirst = targets.length === 1;
        const status = isFirst ? '302 Moved Temporarily' : '486 Busy Here';
        const contact = isFirst ? ['Contact: <sip:+12025550199@127.0.0.2>'] : [];
        socket.send([`SIP/2.0 ${status}`, ...lines, ...contact, 'Content-Length: 0', '', ''].join('\r\n'));
      });
    });
    const world = sipWorld();
    world.servers = [1, 2].map((n) => ({ name: `127.0.0.${n}`, port: 5_060, priority: n, weight: 0 }));
    const here = sipProcess(world, { edgeUrls: [`ws://127.0.0.1:${port}`] });
    const call = await dial(here, { ...trunkAt(0), terminationUri: 'trunk.parley.example' });
    expect(await call.until('ended')).toMatchObject({ cause: 'busy' });
    expect(targets).toEqual(['sip:127.0.0.1:5060;transport=tcp', 'sip:127.0.0.2:5060;transport=tcp']);
    await here.stop();
    for (const client of edge.clients) client.terminate();
    await new Promise((resolve) => edge.close(resolve));
  });
});
