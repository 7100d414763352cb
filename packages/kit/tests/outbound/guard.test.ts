import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../src/log/index.ts';
import { answerOf, brief, clientOf, type RawServer, rawServer, requestOf } from './harness.ts';

// On every address of the machine, so that it accepts whatever passes the guard.
let canary: RawServer;
beforeAll(async () => {
  canary = await rawServer((socket) => socket.end(answerOf(200)), { host: '::' });
});
afterAll(() => canary.close());

const strict = clientOf({ allowCidrs: [] });
const refused = { outcome: 'address_refused', status: 0, sent: false };
const connections = (): number => canary.sockets.length;
const ownAddresses = Object.values(networkInterfaces()).flatMap((list) =>
  (list ?? []).map(({ address }) => address),
);

describe('the canary', () => {
  it('records allowed connections', async () => {
    const before = connections();
    const result = await clientOf().send(requestOf(`http://127.0.0.1:${canary.port}/`));
    expect(brief(result)).toEqual({ outcome: 'response', status: 200, sent: true });
    expect(connections()).toBe(before + 1);
  });
});

describe('a non-public address literal', () => {
  const literals = [
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
    '127.000.000.001',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0',
    '0.0.0.0',
    '0x0',
    '127.127.127.127',
    '１２７.0.0.1',
    '127。0。0。1',
    '127．0．0．1',
    '①②⑦.0.0.1',
    '%31%32%37.0.0.1',
    '127.0.0.1%2e',
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[0000::0001]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::FFFF:127.0.0.1]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[2002:7f00:1::]',
    '[::1%25lo]',
    '[fe80::1%25lo]',
    '169.254.169.254',
    '2852039166',
    '[fd00:ec2::254]',
    '10.0.0.1',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'ｌｏｃａｌｈｏｓｔ',
    ...ownAddresses.filter((address) => !address.includes(':')),
  ];

  it.each(literals)('http://%s/ is refused before any connection', async (host) => {
    const before = connections();
    for (const scheme of ['http', 'https']) {
      const result = await strict.send(requestOf(`${scheme}://${host}:${canary.port}/`, { allowHttp: true }));
      expect(brief(result)).toEqual(refused);
    }
    expect(connections()).toBe(before);
  });
});

describe('an unusable URL', () => {
  it.each([
    'ftp://8.8.8.8/',
    'file:///etc/passwd',
    'http://',
    'http://[::1',
    'nonsense',
    '',
    'https://user:pw@8.8.8.8/',
    'https://user@8.8.8.8/',
    'https://8.8.8.8:0/',
    `https://8.8.8.8/${'x'.repeat(2048)}`,
    'http://127.0.0.1:80@8.8.8.8/',
  ])('%s is refused', async (url) => {
    const result = await strict.send(requestOf(url));
    expect(brief(result)).toEqual(refused);
    expect('error' in result && result.error).not.toContain('pw');
  });
});

describe('a host name', () => {
  const sendTo = (addresses: readonly string[], allowCidrs: string[] = []) => {
    const client = clientOf({ allowCidrs, resolver: async () => addresses });
    return client.send(requestOf(`http://receiver.test:${canary.port}/`, { allowHttp: true }));
  };

  it.each([
    [['127.0.0.1']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '8.8.8.8']],
    [['2606:4700:4700::1111', '::1']],
    [['8.8.8.8', '8.8.4.4', '1.1.1.1', '169.254.169.254']],
    [['127.1']],
    [['fe80::1%lo']],
    [['not an address']],
  ])('that resolves to %p is refused', async (addresses) => {
    const before = connections();
    expect(brief(await sendTo(addresses))).toEqual(refused);
    expect(connections()).toBe(before);
  });

  it.each(['localhost.localdomain.', 'intranet.', 'hooks.example.com.'])(
    'with a trailing dot, %s, is refused by its address too',
    async (name) => {
      const before = connections();
      const client = clientOf({ allowCidrs: [], resolver: async () => ['127.0.0.1'] });
      const result = await client.send(requestOf(`http://${name}:${canary.port}/`, { allowHttp: true }));
      expect(brief(result)).toEqual(refused);
      expect(connections()).toBe(before);
    },
  );

  it('allowed by the operator is reached by http at whatever it resolves to, and no other name is [webhooks.21]', async () => {
    const client = clientOf({
      allowCidrs: [],
      allowHosts: ['receiver.test'],
      resolver: async () => ['127.0.0.1'],
    });
    const send = (host: string) => client.send(requestOf(`http://${host}:${canary.port}/`));
    expect(await send('Receiver.test.')).toMatchObject({ outcome: 'response', remoteAddress: '127.0.0.1' });
    for (const other of ['a.receiver.test', 'receiver.test.example.com', '127.0.0.1']) {
      expect(brief(await send(other))).toEqual(refused);
    }
  });

  it('with an allowed and a forbidden address is refused', async () => {
    expect(brief(await sendTo(['127.0.0.1', '10.0.0.1'], ['127.0.0.0/8']))).toEqual(refused);
    expect(brief(await sendTo(['127.0.0.1', '::1'], ['127.0.0.0/8']))).toEqual(refused);
  });

  it('with only allowed addresses is reached, trying one after the other', async () => {
    const both = await sendTo(['127.0.0.1', '::1'], ['127.0.0.0/8', '::1/128']);
    expect(both).toMatchObject({ outcome: 'response', remoteAddress: '127.0.0.1' });
  });

  it('with more than 32 addresses is refused', async () => {
    const good = await rawServer((socket) => socket.end(answerOf(200)));
    const sendTo = (count: number) => {
      const resolver = async () => Array.from({ length: count }, (_, index) => `127.0.0.${index + 1}`);
      return clientOf({ resolver }).send(requestOf(`http://receiver.test:${good.port}/`));
    };
    expect(await sendTo(32)).toMatchObject({ outcome: 'response' });
    expect(brief(await sendTo(33))).toEqual(refused);
    await good.close();
  });

  it('whose first address is down is reached at the next', async () => {
    const good = await rawServer((socket) => socket.end(answerOf(200)), { host: '127.0.0.2' });
    const client = clientOf({ resolver: async () => ['127.0.0.3', '127.0.0.2'] });
    const result = await client.send(requestOf(`http://receiver.test:${good.port}/`));
    expect(result).toMatchObject({ outcome: 'response', remoteAddress: '127.0.0.2' });
    await good.close();
  });

  it('without an address looks like one with a private address [trust.13]', async () => {
    const missing = (code: string) => async () => {
      throw Object.assign(new Error('x'), { code });
    };
    const ask = async (resolver: () => Promise<string[]>) => {
      const result = await clientOf({ resolver }).send(requestOf('https://receiver.test/'));
      return { ...result, durationMs: 0 };
    };
    const hidden = await ask(async () => ['10.0.0.1']);
    expect(brief(hidden)).toEqual(refused);
    for (const resolver of [async () => [], missing('ENOTFOUND'), missing('ENODATA')])
      expect(await ask(resolver)).toEqual(hidden);
    // A failing name server proves nothing about the name: the request may be retried.
    expect(
      brief(await clientOf({ resolver: missing('ECONNREFUSED') }).send(requestOf('https://receiver.test/'))),
    ).toEqual({ ...refused, outcome: 'connection_error' });
  });
});

describe('a name whose address changes', () => {
  it('is resolved once per request, and connected to at the checked address', async () => {
    const good = await rawServer((socket) => socket.end(answerOf(200)), { host: '127.0.0.2' });
    const answers = [['127.0.0.2'], ['127.0.0.1'], ['127.0.0.1']];
    let asked = 0;
    const client = clientOf({
      allowCidrs: ['127.0.0.2/32'],
      resolver: async () => answers[asked++] ?? [],
    });
    const before = connections();
    const request = requestOf(`http://receiver.test:${good.port}/`);
    expect(await client.send(request)).toMatchObject({ outcome: 'response', remoteAddress: '127.0.0.2' });
    expect(asked).toBe(1);
    expect(brief(await client.send(request))).toEqual(refused);
    expect(connections()).toBe(before);
    await good.close();
  });

  it('does not reuse the connection to its former address', async () => {
    const answer = (host: string) => rawServer((socket) => socket.write(answerOf(200, { host })), { host });
    const first = await answer('127.0.0.2');
    const second = await rawServer((socket) => socket.write(answerOf(200)), {
      host: '127.0.0.3',
      port: first.port,
    });
    let addresses = ['127.0.0.2'];
    const client = clientOf({ allowCidrs: ['127.0.0.2/31'], resolver: async () => addresses });
    const send = () => client.send(requestOf(`http://receiver.test:${first.port}/`, { replayable: true }));
    await send();
    await send();
    expect([first.requests.length, first.sockets.length]).toEqual([2, 1]);
    addresses = ['127.0.0.3'];
    expect(await send()).toMatchObject({ outcome: 'response', remoteAddress: '127.0.0.3' });
    addresses = ['127.0.0.2', '127.0.0.1'];
    expect(brief(await send())).toEqual(refused);
    expect(first.requests).toHaveLength(2);
    await client.close();
    await Promise.all([first.close(), second.close()]);
  });
});

describe('the peer', () => {
  it('is checked before a byte is sent: a connection to another address is not used', async () => {
    // The kernel maps 0.0.0.0 to this machine, so the socket's peer differs from the requested address.
    const client = clientOf({ allowCidrs: ['0.0.0.0/32'] });
    const before = canary.requests.length;
    const result = await client.send(requestOf(`http://0.0.0.0:${canary.port}/`));
    expect(result).toMatchObject({
      outcome: 'connection_error',
      error: 'The connection reached a different address',
      requestSent: false,
    });
    expect(canary.requests).toHaveLength(before);
  });
});

describe('plain http', () => {
  it('is refused to a public address unless the caller allows it', async () => {
    const result = await strict.send(requestOf('http://8.8.8.8/'));
    expect(result).toMatchObject({
      ...{ outcome: 'address_refused' },
      error: expect.stringMatching(/plain http/i),
    });
    const named = await clientOf({ resolver: async () => ['8.8.8.8'] }).send(
      requestOf('http://receiver.test/'),
    );
    expect(brief(named)).toEqual(refused);
  });

  it('reaches localhost where loopback is allowed', async () => {
    const result = await clientOf().send(requestOf(`http://localhost:${canary.port}/`));
    expect(result).toMatchObject({ outcome: 'response', remoteAddress: '127.0.0.1' });
  });
});

describe('proxy variables of the environment', () => {
  it('are ignored', async () => {
    const proxy = await rawServer((socket) => socket.end(answerOf(200)));
    const names = [
      'HTTP_PROXY',
      'http_proxy',
      'HTTPS_PROXY',
      'https_proxy',
      'ALL_PROXY',
      'NODE_USE_ENV_PROXY',
    ];
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    const result = await clientOf().send(requestOf(`http://127.0.0.1:${canary.port}/`));
    for (const name of names) delete process.env[name];
    expect(result.outcome).toBe('response');
    expect(proxy.sockets).toHaveLength(0);
    await proxy.close();
  });
});

describe('an internal port of the platform [trust.12] [webhooks.22]', () => {
  const everything = { allowCidrs: ['0.0.0.0/0', '::/0'], allowHosts: ['telephony', 'receiver.test'] };
  const guarded = (internalUrl: string, resolver = async (_name: string): Promise<string[]> => []) =>
    clientOf({ ...everything, internalUrls: [internalUrl], resolver });
  const internalUrl = () => `http://telephony:${canary.port}`;

  it.each([
    '127.0.0.1',
    '127.1',
    '127.127.127.127',
    '2130706433',
    '0.0.0.0',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    ...ownAddresses
      .filter((address) => !address.startsWith('fe80'))
      .map((one) => (one.includes(':') ? `[${one}]` : one)),
  ])('is refused at %s, whatever the operator allows', async (host) => {
    const before = connections();
    const result = await guarded(internalUrl()).send(requestOf(`http://${host}:${canary.port}/v2/call/list`));
    expect(brief(result)).toEqual(refused);
    expect(connections()).toBe(before);
  });

  it('is refused under every name, even an allowed one', async () => {
    const client = guarded(internalUrl(), async () => ['127.0.0.1']);
    for (const host of ['telephony', 'receiver.test', 'anything.test']) {
      expect(brief(await client.send(requestOf(`http://${host}:${canary.port}/`)))).toEqual(refused);
    }
  });

  it('is refused on a public address of a service', async () => {
    const resolver = async (name: string) => (name === 'peer.test' ? ['93.184.215.14'] : []);
    const client = guarded('http://peer.test:8082', resolver);
    expect(brief(await client.send(requestOf('http://93.184.215.14:8082/')))).toEqual(refused);
  });

  it('is not reachable through a redirect', async () => {
    const location = `http://127.0.0.1:${canary.port}/`;
    const server = await rawServer((socket) => socket.end(answerOf(307, { location })));
    const before = connections();
    const result = await guarded(internalUrl()).send(requestOf(`http://127.0.0.1:${server.port}/`));
    expect(result.outcome).toBe('address_refused');
    expect(connections()).toBe(before);
    await server.close();
  });

  it('does not affect other ports', async () => {
    const result = await guarded('http://127.0.0.1:1').send(requestOf(`http://127.0.0.1:${canary.port}/`));
    expect(result.outcome).toBe('response');
  });
});

it('errors show addresses only in the log, not to the tenant [trust.13]', async () => {
  const lines: string[] = [];
  const log = createLogger({
    service: 'test',
    level: 'info',
    destination: { write: (line: string) => void lines.push(line) },
  });
  const client = clientOf({ allowCidrs: [], log, resolver: async () => ['10.1.2.3'] });
  const result = await client.send(requestOf('https://db.internal/'));
  expect(result).toMatchObject({ error: 'db.internal does not resolve to a public address' });
  expect(JSON.stringify(result)).not.toContain('10.1.2.3');
  expect(lines.join()).toContain('10.1.2.3');
});
