import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@parley/kit/observability';
import { monotonicMs } from '@parley/kit/time';
import { eventually, freePort } from '@parley/testkit';
import { WebSocketServer } from 'ws';
import { createUnknownSources } from '../src/carriers/sip/inbound/unknown-sources.ts';
import { createSipMetrics, type Refusal } from '../src/carriers/sip/sip-metrics.ts';
import { dial, type SipProcess, sipProcess, sipWorld, trunkAt } from './sip/sip-process.ts';

const TRUNK = { host: '127.0.0.1', port: 5_999, transport: 'tcp' as const, credentials: null };

describe('unknown sources [sip.12]', () => {
  it('may ask a few times in a second each, and together; trunks are asked for nothing', () => {
    const unknown = createUnknownSources(() => 1);
    const asked = (source: string, times: number): number =>
      Array.from({ length: times }, () => unknown.allows(source)).filter(Boolean).length;
    expect(asked('192.0.2.1', 100)).toBe(20);
    expect(asked('192.0.2.2', 100)).toBe(20);
    const rest = Array.from({ length: 100 }, (_, n) => asked(`198.51.100.${n}`, 100));
    expect(rest.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(200 - 40 + 20);
    expect(unknown.isTrusted('192.0.2.1')).toBe(false);
    unknown.trust('192.0.2.1');
    expect(unknown.isTrusted('192.0.2.1')).toBe(true);
  });

  it('are silenced by ten wrong digests, until a minute is over', () => {
    let nowMs = 1;
    const unknown = createUnknownSources(() => nowMs);
    for (let n = 0; n < 10; n += 1) {
      expect(unknown.isSilenced('192.0.2.1')).toBe(false);
      unknown.refused('192.0.2.1');
    }
    expect([unknown.isSilenced('192.0.2.1'), unknown.isSilenced('192.0.2.2')]).toEqual([true, false]);
    nowMs += 59_000;
    expect(unknown.isSilenced('192.0.2.1')).toBe(true);
    nowMs += 2_000;
    expect(unknown.isSilenced('192.0.2.1')).toBe(false);
  });

  describe('that connect', () => {
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
});

describe('an address whose digests are wrong [sip.12]', () => {
  const NUMBER = '+12025550123';
  const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
  const answer = (nonce: string, password: string, count = 1, username = 'alice'): string => {
    const uri = `sip:${NUMBER}@127.0.0.1`;
    const nc = count.toString(16).padStart(8, '0');
    const proof = md5(
      `${md5(`${username}:parley:${password}`)}:${nonce}:${nc}:c:auth:${md5(`INVITE:${uri}`)}`,
    );
    return `Digest username="${username}", realm="parley", nonce="${nonce}", uri="${uri}", qop=auth, nc=${nc}, cnonce="c", response="${proof}"`;
  };
  const invite = (authorization?: string, called = NUMBER): string => {
    const id = randomUUID();
    return [
      `INVITE sip:${called}@127.0.0.1;transport=tcp SIP/2.0`,
      `Via: SIP/2.0/TCP 127.0.0.1:5060;branch=z9hG4bK${id}`,
      'From: <sip:+12025550177@127.0.0.1>;tag=q',
      `To: <sip:${NUMBER}@127.0.0.1>`,
      'Contact: <sip:127.0.0.1:5060;transport=tcp>',
      `Call-ID: ${id}`,
      'CSeq: 1 INVITE',
      'Max-Forwards: 70',
      ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n');
  };

  /** A worker that is called at a port, and a connection to it. */
  const open = async () => {
    const port = await freePort();
    const world = sipWorld();
    const credentials = { username: 'alice', password: 'wonderland' };
    const trunk = { host: 'sip.parley.example', port: null, transport: 'tcp' as const, credentials };
    const number = { numberId: 'number', workspaceId: 'workspace', phoneNumber: NUMBER, isActive: true };
    const others = { username: 'bob', password: 'builder' };
    world.numbers = [
      { ...number, trunk },
      { ...number, numberId: 'other', trunk: { ...trunk, credentials: others } },
    ];
    const refusals: string[] = [];
    const metrics = createSipMetrics(createMetrics('test'), monotonicMs);
    const noted = { ...metrics, refused: (reason: Refusal) => void refusals.push(reason) };
    const listeners = [{ transport: 'tcp' as const, host: '127.0.0.1', port }];
    const here = sipProcess(world, { listeners }, undefined, { metrics: noted });
    here.carrier.receive(async () => false, here.lifecycle);
    const socket = await eventually(async () => {
      const one = connect(port, '127.0.0.1');
      await once(one, 'connect');
      return one;
    });
    let heard = '';
    socket
      .on('error', () => {})
      .on('data', (data) => {
        heard += data.toString();
      });
    const counts = (status: number): number => heard.split(`SIP/2.0 ${status} `).length - 1;
    socket.write(invite());
    await eventually(() => expect(counts(401)).toBe(1));
    const nonce = /nonce="([^"]+)"/.exec(heard)?.[1] ?? '';
    const close = async (): Promise<void> => {
      socket.destroy();
      await here.stop();
    };
    return { socket, counts, nonce, credentials, others, refusals, close };
  };

  it('gets no response after ten of them, and its trunk gets in all the same', async () => {
    const { socket, counts, nonce, credentials, close } = await open();
    for (let n = 1; n <= 10; n += 1) {
      socket.write(invite(answer(nonce, 'looking-glass')));
      await eventually(() => expect(counts(403)).toBe(n));
    }
    socket.write(invite(answer(nonce, 'looking-glass')));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([counts(401), counts(403)]).toEqual([1, 10]);
    socket.write(invite(answer(nonce, credentials.password)));
    await eventually(() => expect(counts(480) + counts(503)).toBe(1));
    await close();
  });

  it('is refused without a look at them after ten, if it is a trunk: it guesses the password of another', async () => {
    const { socket, counts, nonce, credentials, close } = await open();
    socket.write(invite(answer(nonce, credentials.password)));
    await eventually(() => expect(counts(480) + counts(503)).toBe(1));
    for (let n = 1; n <= 10; n += 1) {
      socket.write(invite(answer(nonce, 'looking-glass')));
      await eventually(() => expect(counts(403)).toBe(n));
    }
    socket.write(invite(answer(nonce, credentials.password, 2)));
    await eventually(() => expect(counts(403)).toBe(11));
    await close();
  });

  it('is refused for a user name and a number, however both are written, and for no other user name', async () => {
    const { socket, counts, nonce, credentials, others, close } = await open();
    const taken = (): number => counts(480) + counts(503);
    socket.write(invite(answer(nonce, credentials.password)));
    await eventually(() => expect(taken()).toBe(1));
    for (let n = 1; n <= 10; n += 1) {
      // The last of several names is the one that is checked.
      const wrong = answer(nonce, 'looking-glass').replace('Digest ', `Digest username="decoy-${n}", `);
      socket.write(invite(wrong, `+1-202-555-0123;isub=${n}`));
      await eventually(() => expect(counts(403)).toBe(n));
    }
    socket.write(invite(answer(nonce, credentials.password, 2)));
    await eventually(() => expect(counts(403)).toBe(11));
    socket.write(invite(answer(nonce, others.password, 3, others.username)));
    await eventually(() => expect(taken()).toBe(2));
    await close();
  });

  it('may call a number sixty times at once, and is asked to come back later then', async () => {
    const { socket, counts, nonce, credentials, refusals, close } = await open();
    const isLimited = (): boolean => refusals.includes('limited');
    // A busy machine takes longer for them, and more are allowed meanwhile.
    for (let n = 1; n <= 800 && !isLimited(); n += 1) {
      socket.write(invite(answer(nonce, credentials.password, n)));
      if (n % 40 === 0) await eventually(() => expect(counts(480) + counts(503)).toBe(n));
    }
    expect(isLimited()).toBe(true);
    await close();
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
    here.carrier.knowTrunks(['127.0.0.1']);
    socket.write(options(port));
    await eventually(() => expect(response()).toMatch(/^SIP\/2\.0 200 OK/));
    here.carrier.knowTrunks([]);

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
