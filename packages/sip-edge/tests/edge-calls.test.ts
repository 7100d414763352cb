import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, freePort } from '@parley/testkit';
import {
  CarrierDouble,
  edgeMetrics,
  headerOf,
  kamailio,
  scan,
  startEdge,
  WorkerDouble,
} from '../src/testing/index.ts';

// Kamailio of Debian, where it is installed.
const installed = kamailio ? describe : describe.skip;
/** How long a response would take at most that must not come. */
const SILENCE_MS = 400;
/** Well below the limit of an address. */
const SLOWLY = { everyMs: 300 };

/** A BYE by TCP to a call of this worker. */
const byeTo = (worker: string, from: string): string[] => [
  `BYE sip:+4930@${worker}.invalid SIP/2.0`,
  `Via: SIP/2.0/TCP ${from}:5060;branch=z9hG4bK-${worker};rport`,
  'Max-Forwards: 70',
  `From: <sip:caller@${from}>;tag=caller`,
  'To: <sip:+4930@127.0.0.1>;tag=callee',
  `Call-ID: ${worker}`,
  'CSeq: 9 BYE',
];

installed('the edge', () => {
  const releases: (() => unknown)[] = [];
  let port: number;
  let internalPort: number;
  beforeAll(async () => {
    [port, internalPort] = [await freePort(), await freePort()];
  });
  afterEach(async () => {
    for (const release of releases.splice(0).reverse()) await release();
  });

  const start = async (more: Partial<Parameters<typeof startEdge>[0]> = {}) => {
    const own = { address: '127.0.0.1', port, internalAddress: '127.0.0.1', internalPort };
    const edge = await startEdge({ ...own, privateNetworks: ['127.0.0.0/8'], ...more });
    releases.push(edge.stop);
    return edge;
  };
  const worker = async (options: Partial<Parameters<typeof WorkerDouble.connect>[0]> = {}) => {
    const double = await WorkerDouble.connect({ url: `ws://127.0.0.1:${internalPort}`, ...options });
    releases.push(() => double.crash());
    return double;
  };
  const carrier = async (address?: string) => {
    const double = await CarrierDouble.open(address);
    releases.push(() => double.close());
    return double;
  };
  /** Sends a request over a connection; returns what has been heard on it. */
  const overTcp = async (localAddress: string, lines: readonly string[]): Promise<() => string> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    releases.push(() => socket.destroy());
    let heard = '';
    socket.on('data', (data) => {
      heard += data;
    });
    socket.write([...lines, 'Content-Length: 0', '', ''].join('\r\n'));
    return () => heard;
  };
  const http = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${internalPort}${path}`, init);
  const know = (...addresses: string[]) => http('/sources', { method: 'PUT', body: addresses.join(',') });
  const invites = (double: WorkerDouble) => double.received.filter(({ method }) => method === 'INVITE');

  it('is ready when a worker has capacity, and tells carriers so', async () => {
    await start();
    const trunk = await carrier();
    await know(trunk.address);
    expect((await http('/readyz')).status).toBe(503);
    const one = await worker();
    expect((await http('/readyz')).status).toBe(200);
    trunk.request('OPTIONS', `sip:127.0.0.1:${port}`, { port });
    await trunk.receives(/^SIP\/2\.0 200/);
    await one.register(0);
    expect((await http('/readyz')).status).toBe(503);
    trunk.received.length = 0;
    trunk.request('OPTIONS', `sip:127.0.0.1:${port}`, { port });
    await trunk.receives(/^SIP\/2\.0 503/);
  });

  it('gives an unknown address no response at all, and its requests to no worker [sip.31]', async () => {
    await start();
    const one = await worker();
    const stranger = await carrier('127.0.0.9');
    for (const method of ['INVITE', 'REGISTER', 'OPTIONS', 'SUBSCRIBE', 'BYE', 'ACK', 'CANCEL'])
      stranger.request(method, `sip:+4930@127.0.0.1:${port}`, { port });
    stranger.request('INVITE', `sip:+4930@127.0.0.1:${port}`, { port }, [
      'within a call',
      `Route: <sip:127.0.0.1:${port};lr>`,
    ]);
    stranger.send(`INVITE nonsense\r\n\r\n${'x'.repeat(200)}`, { port });
    await sleep(SILENCE_MS);
    expect(stranger.received).toEqual([]);
    expect(one.received.filter(({ method }) => method)).toEqual([]);
  });

  it('closes a TCP connection on which an unknown address speaks, without a word [sip.31]', async () => {
    await start();
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.9' });
    let heard = '';
    socket.on('data', (data) => {
      heard += data;
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const lines = [
      'Via: SIP/2.0/TCP 127.0.0.9:5060;branch=z9hG4bK1',
      'From: <sip:a@b>;tag=1',
      'To: <sip:c@d>',
    ];
    const rest = ['Call-ID: 1', 'CSeq: 1 OPTIONS', 'Content-Length: 0', '', ''];
    socket.write(['OPTIONS sip:127.0.0.1 SIP/2.0', ...lines, ...rest].join('\r\n'));
    await closed;
    expect(heard).toBe('');
  });

  it('lets a trunk call in, and tells the worker the address that it saw [sip.30]', async () => {
    await start();
    const one = await worker();
    const trunk = await carrier();
    await know(trunk.address);
    trunk.request('INVITE', `sip:+4930@127.0.0.1:${port}`, { port }, ['X-Parley-Source: 192.0.2.1:5060']);
    const answer = await trunk.receives(/^SIP\/2\.0 200/);
    expect(answer).toContain(`Record-Route: <sip:127.0.0.1:${port};`);
    const [invite] = invites(one);
    expect(invite && headerOf(invite, 'x-parley-source')).toBe(`127.0.0.1:${trunk.port};transport=udp`);
    expect(invite?.text).not.toContain('192.0.2.1');
  });

  it('tries the next worker when one is full, and says 503 when all are [sip.32]', async () => {
    await start();
    const full = await worker({ freeCalls: 1_000, answer: () => 503 });
    const free = await worker({ freeCalls: 1 });
    const trunk = await carrier();
    await know(trunk.address);
    trunk.request('INVITE', `sip:+4930@127.0.0.1:${port}`, { port });
    await trunk.receives(/^SIP\/2\.0 200/);
    expect([invites(full).length > 0, invites(free).length]).toEqual([expect.any(Boolean), 1]);
    await free.register(0);
    trunk.received.length = 0;
    trunk.request('INVITE', `sip:+4930@127.0.0.1:${port}`, { port });
    await trunk.receives(/^SIP\/2\.0 503/);
    expect(invites(free)).toHaveLength(1);
  });

  it('spreads calls by the free capacity of the workers [sip.32]', async () => {
    await start();
    const large = await worker({ freeCalls: 750 });
    const small = await worker({ freeCalls: 250 });
    const trunk = await carrier();
    await know(trunk.address);
    for (let i = 0; i < 200; i += 1) {
      trunk.request('INVITE', `sip:+4930@127.0.0.1:${port}`, { port });
      if (i % 20 === 0) await sleep(5);
    }
    await eventually(() => expect(invites(large).length + invites(small).length).toBe(200));
    expect(invites(large).length).toBeGreaterThan(115);
    expect(invites(small).length).toBeGreaterThan(20);
  });

  it('ends a ringing call with 503 when its worker dies [sip.34]', async () => {
    await start();
    const one = await worker({ answer: () => 180 });
    const trunk = await carrier();
    await know(trunk.address);
    trunk.request('INVITE', `sip:+4930@127.0.0.1:${port}`, { port });
    await trunk.receives(/^SIP\/2\.0 180/);
    one.crash();
    await trunk.receives(/^SIP\/2\.0 503/);
  });

  it('finds the worker of a call after a restart of the edge, from any address of the carrier [sip.34]', async () => {
    const edge = await start();
    const trunk = await carrier();
    const one = await worker();
    await know(trunk.address);
    trunk.request('INVITE', `sip:+4930@127.0.0.1:${port}`, { port });
    const answer = await trunk.receives(/^SIP\/2\.0 200/);
    const contact = /Contact: <([^>]+)>/.exec(answer)?.[1] ?? '';
    await edge.kill();
    await start();
    const again = await worker({ id: one.id });
    const other = await carrier('127.0.0.77');
    const routes = [...answer.matchAll(/Record-Route: (.*)\r/g)]
      .map(([, value]) => `Route: ${value}`)
      .reverse();
    // By UDP, again until there is a response: the edge is silent while the worker is not back.
    await eventually(async () => {
      other.request('BYE', contact, { port }, ['within a call', ...routes]);
      await other.receives(/^SIP\/2\.0 200/, 500);
    });
    expect(again.received.map(({ method }) => method)).toContain('BYE');
  });

  it('is silent to a request by UDP whose worker is not back yet after a restart, so that it comes again [sip.34]', async () => {
    await start();
    const trunk = await carrier();
    await know(trunk.address);
    trunk.request('BYE', 'sip:+4930@gone.invalid', { port }, ['within a call']);
    await sleep(SILENCE_MS);
    expect(trunk.received).toEqual([]);
    const one = await worker();
    trunk.request('BYE', `sip:+4930@${one.id}.invalid`, { port }, ['within a call']);
    await trunk.receives(/^SIP\/2\.0 200/);
  });

  it('lets a request by TCP wait whose worker is not back yet after a restart [sip.34]', async () => {
    await start();
    const trunk = await carrier();
    await know(trunk.address);
    const bye = await overTcp(trunk.address, byeTo('late', trunk.address));
    await sleep(1_500);
    expect(bye()).toBe('');
    const one = await worker({ id: 'late' });
    await eventually(() => expect(bye()).toMatch(/^SIP\/2\.0 200/), { timeoutMs: 5_000 });
    expect(one.received.map(({ method }) => method)).toContain('BYE');
    const gone = await overTcp(trunk.address, byeTo('gone', trunk.address));
    await eventually(() => expect(gone()).toMatch(/^SIP\/2\.0 480/), { timeoutMs: 15_000 });
  });

  it.each([
    ['private', '10.1.2.3:5060'],
    ['loopback', '127.0.0.55:5090'],
  ])(
    'reaches a caller within its call whose Contact has a %s address of its own [sip.1]',
    async (_, contact) => {
      await start();
      const one = await worker();
      const trunk = await carrier();
      await know(trunk.address);
      trunk.request('INVITE', `sip:+4930@127.0.0.1:${port}`, { port, contact });
      await trunk.receives(/^SIP\/2\.0 200/);
      const [invite] = invites(one);
      if (!invite) throw new Error('no call came in');
      const [from, to, callId] = ['from', 'to', 'call-id'].map((name) => headerOf(invite, name));
      one.request('BYE', headerOf(invite, 'contact').replace(/^<|>$/g, ''), [
        ['From', `${to};tag=${one.id}`],
        ['To', String(from)],
        ['Call-ID', String(callId)],
        ['Route', headerOf(invite, 'record-route')],
      ]);
      await trunk.receives(/^BYE /);
    },
  );

  it('sends calls of workers to the address that they have checked', async () => {
    await start();
    const one = await worker();
    const trunk = await carrier();
    const target = `sip:127.0.0.1:${trunk.port};transport=udp`;
    one.request('INVITE', 'sip:+4930@carrier.invalid', [
      ['X-Parley-Target', target],
      ['Contact', `<sip:any@${one.id}.invalid;transport=ws>`],
    ]);
    const invite = await trunk.receives(/^INVITE sip:\+4930@carrier\.invalid/);
    expect(invite).not.toMatch(/X-Parley|^Route:/m);
    expect(invite).toContain('Record-Route: ');
  });

  it('lets nothing leave for a private address that the operator does not allow, whatever asks for it [sip.33]', async () => {
    await start({ privateNetworks: ['10.0.0.0/8'] });
    const one = await worker();
    const trunk = await carrier();
    one.request('INVITE', `sip:+4930@127.0.0.1:${trunk.port};transport=udp`, [
      ['Contact', `<sip:any@${one.id}.invalid;transport=ws>`],
    ]);
    await sleep(SILENCE_MS);
    expect(trunk.received).toEqual([]);
  });

  it('stays silent and does not grow under scanners, while a trunk calls in [sip.31]', async () => {
    await start();
    const one = await worker();
    const trunk = await carrier();
    await know(trunk.address);
    await scan({ port, count: 1_000, addresses: 50 });
    const before = (await edgeMetrics(internalPort))('shmem_used_size');
    const [{ answered }] = await Promise.all([
      scan({ port, count: 3_000, addresses: 50 }),
      sleep(100).then(() => trunk.request('INVITE', `sip:+4930@127.0.0.1:${port}`, { port })),
    ]);
    expect(answered).toBe(0);
    await trunk.receives(/^SIP\/2\.0 200/);
    expect(invites(one)).toHaveLength(1);
    // The last packets may still wait in the socket.
    await eventually(async () => expect((await edgeMetrics(internalPort))('edge_dropped')).toBe(4_000));
    const metric = await edgeMetrics(internalPort);
    expect(metric('shmem_used_size') - before).toBeLessThan(200_000);
  });

  it('bans an address of an allowed network that collects refusals by TCP [sip.31]', async () => {
    await start({ sources: ['127.0.0.0/8'], unknownDensity: 1_000 });
    await worker({ answer: () => 403 });
    const guesser = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.9' });
    releases.push(() => guesser.destroy());
    let heard = '';
    guesser.on('data', (data) => {
      heard += data;
    });
    const refusals = () => new Set([...heard.matchAll(/^CSeq: (\d+) INVITE/gm)].map(([, n]) => n)).size;
    for (let n = 1; n <= 15; n += 1) {
      const lines = [
        `INVITE sip:+49${n}@127.0.0.1:${port} SIP/2.0`,
        `Via: SIP/2.0/TCP 127.0.0.9:5060;branch=z9hG4bK${n};rport`,
        'Max-Forwards: 70',
        `From: <sip:guess@127.0.0.9>;tag=${n}`,
        `To: <sip:+49${n}@127.0.0.1>`,
        `Call-ID: guess-${n}`,
        `CSeq: ${n} INVITE`,
        'Contact: <sip:guess@127.0.0.9:5060>',
      ];
      guesser.write([...lines, 'Content-Length: 0', '', ''].join('\r\n'));
      if (n <= 10) await eventually(() => expect(heard).toContain(`SIP/2.0 403`));
      await sleep(20);
    }
    await sleep(SILENCE_MS);
    expect(refusals()).toBe(10);
    expect((await edgeMetrics(internalPort))('edge_bans')).toBe(1);
  });

  it('bans nobody for what comes by UDP, whose sender may be forged: it only limits it [sip.31]', async () => {
    await start({ sources: ['127.0.0.8/32'], unknownDensity: 10, trunkDensity: 40 });
    const one = await worker({ answer: ({ uri }) => (uri?.includes('+49') ? 403 : 200) });
    const [trunk, carrierOf] = [await carrier('127.0.0.10'), await carrier('127.0.0.8')];
    await know(trunk.address);
    trunk.request('INVITE', `sip:+30@127.0.0.1:${port}`, { port });
    const answer = await trunk.receives(/^SIP\/2\.0 200/);
    for (const victim of [trunk, carrierOf]) {
      // The same address, other packets.
      const forger = await carrier(victim.address);
      for (let i = 0; i < 300; i += 1) {
        forger.request('INVITE', `sip:+49${i}@127.0.0.1:${port}`, { port });
        if (i % 20 === 0) await sleep(5);
      }
      await sleep(SILENCE_MS);
    }
    const metric = await edgeMetrics(internalPort);
    expect(metric('edge_bans')).toBe(0);
    expect(metric('edge_dropped')).toBeGreaterThan(400);
    // Two seconds each, at most.
    expect(invites(one).length).toBeLessThan(200);
    // Its call goes on all the time, and new ones as soon as there is room.
    const contact = /Contact: <([^>]+)>/.exec(answer)?.[1] ?? '';
    trunk.request('BYE', contact, { port }, ['within a call']);
    await trunk.receives(/^CSeq: 1 BYE/m);
    for (const victim of [trunk, carrierOf])
      await eventually(() => {
        victim.request('INVITE', `sip:+31@127.0.0.1:${port}`, { port });
        const answers = victim.received.filter((text) => text.startsWith('SIP/2.0 200'));
        expect(answers.some((text) => /^To: <sip:\+31@/m.test(text))).toBe(true);
      }, SLOWLY);
  });

  it('answers no SIP of outside on the internal listener, and no HTTP on the others', async () => {
    await start();
    const one = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => 'closed');
    expect(one).toBe('closed');
    expect((await http('/nonsense')).status).toBe(404);
  });
});
