import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { levelDb, type MediaSession } from '@parley/media';
import { eventually, freePort } from '@parley/testkit';
import { hasBaresip, type Person, startPerson } from './sip/baresip.ts';
import { type Authority, type Certificate, createAuthority } from './sip/certificates.ts';
import {
  dial,
  type SipProcess,
  type SipWorld,
  sipProcess,
  sipWorld,
  trunkAt,
  watch,
} from './sip/sip-process.ts';

const HOST = 'trunk.localhost';
const CALLED = '+12025550123';
const PATIENCE = { timeoutMs: 60_000 };

let authority: Authority;
let world: SipWorld;
let trusting: SipProcess;
const stops: (() => unknown)[] = [];
beforeAll(async () => {
  authority = await createAuthority();
  world = sipWorld();
  trusting = sipProcess(world, { ca: [authority.pem] });
  stops.push(trusting.stop);
});
afterAll(async () => {
  for (const stop of stops) await stop();
  await authority?.remove();
});

const trunkOf = (port: number) => ({ ...trunkAt(port, null, 'tls'), terminationUri: `${HOST}:${port}` });

/** A trunk that shows a certificate; what it reads after the handshake is counted. */
async function listening({ cert, key }: Certificate): Promise<{ port: number; bytes: () => number }> {
  let bytes = 0;
  const server: Server = createServer({ cert: await readFile(cert), key: await readFile(key) }, (socket) => {
    socket.on('error', () => {});
    socket.on('data', (data: Buffer) => {
      bytes += data.length;
    });
  });
  server.on('tlsClientError', () => {});
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  stops.push(() => server.close());
  return { port, bytes: () => bytes };
}

const refusedBy = async (process: SipProcess, certificate: Certificate) => {
  const trunk = await listening(certificate);
  const call = await dial(process, trunkOf(trunk.port));
  const { cause, provider } = await call.until('ended');
  expect([cause, trunk.bytes()]).toEqual(['transient', 0]);
  return provider?.text;
};

describe('the certificate of a TLS trunk [sip.21]', () => {
  it('must have the name of the trunk', async () => {
    expect(await refusedBy(trusting, await authority.issue('other.localhost'))).toMatch(/altnames/);
  });

  it('must not have expired', async () => {
    expect(await refusedBy(trusting, await authority.issue(HOST, -1))).toMatch(/expired/);
  });

  it('must be signed by a known authority: that of the operator counts if it is configured', async () => {
    expect(await refusedBy(trusting, await authority.selfSigned(HOST))).toMatch(/self.signed/);
    const strict = sipProcess(world);
    stops.push(strict.stop);
    const certificate = await authority.issue(HOST);
    expect(await refusedBy(strict, certificate)).toMatch(/unable to (verify|get local issuer)/);
    const trunk = await listening(certificate);
    const call = await dial(trusting, trunkOf(trunk.port));
    await eventually(() => expect(trunk.bytes()).toBeGreaterThan(0));
    await trusting.carrier.hangup(call.reference);
    await call.until('ended');
  });
});

describe('a connection that makes no TLS handshake [sip.12]', () => {
  it('uses the limit of its own address alone, and from no trunk', async () => {
    const own = await authority.issue('127.0.0.1');
    const port = await freePort();
    const [cert, key] = [await readFile(own.cert, 'utf8'), await readFile(own.key, 'utf8')];
    const listener = { transport: 'tls' as const, host: '127.0.0.1', port, cert, key };
    const here = sipProcess(world, { listeners: [listener] });
    here.carrier.receive(async () => false, here.lifecycle);
    here.carrier.knowTrunks(new Map([['127.0.0.9', new Set(['one'])]]));
    const sockets: Socket[] = [];
    const open = async (localAddress: string): Promise<Socket> => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket.on('error', () => {});
      await once(socket, 'connect');
      sockets.push(socket);
      return socket;
    };
    const closedOf = (all: readonly Socket[]): number => all.filter(({ destroyed }) => destroyed).length;
    const isSecured = async (localAddress: string): Promise<void> => {
      const secured = connectTls({
        socket: await open(localAddress),
        ca: [authority.pem],
        host: '127.0.0.1',
      });
      secured.on('error', () => {});
      await once(secured, 'secureConnect');
    };
    stops.push(async () => {
      for (const socket of sockets) socket.destroy();
      await here.stop();
    });
    await eventually(() => open('127.0.0.1'));
    const silent = await Promise.all(Array.from({ length: 12 }, () => open('127.0.0.77')));
    await eventually(() => expect(closedOf(silent)).toBe(2));
    const ofTrunk = await Promise.all(Array.from({ length: 12 }, () => open('127.0.0.9')));
    await isSecured('127.0.0.9');
    await isSecured('127.0.0.78');
    expect([closedOf(silent), closedOf(ofTrunk)]).toEqual([2, 0]);
    // One that has gone, or has made its handshake, leaves its place to the next.
    silent.find(({ destroyed }) => !destroyed)?.destroy();
    await eventually(() => isSecured('127.0.0.77'));
    expect(closedOf(await Promise.all([open('127.0.0.77')]))).toBe(0);
  });
});

(hasBaresip() ? describe : describe.skip)(
  'a call over a TLS trunk (baresip) with encrypted audio [sip.10] [sip.21]',
  () => {
    const audible = async (session: MediaSession | undefined, person: Person): Promise<void> => {
      session?.addSource(() => new Int16Array(320).map((_, n) => Math.round(8_000 * Math.sin(n / 4))));
      let loudest = Number.NEGATIVE_INFINITY;
      session?.onFrame(({ samples }) => {
        loudest = Math.max(loudest, levelDb(samples));
      });
      await eventually(() => expect(loudest).toBeGreaterThan(-35), PATIENCE);
      await eventually(async () => {
        const [heard = new Int16Array()] = await person.heard();
        expect(heard.some((sample) => Math.abs(sample) > 4_000)).toBe(true);
      }, PATIENCE);
      expect(session?.stats().packetsRejected).toBeLessThan(5);
    };
    const sessionOf = (process: SipProcess, reference: string): MediaSession | undefined => {
      const media = process.carrier.media(reference);
      return media?.kind === 'audio' ? media.session : undefined;
    };
    const descriptionsOf = (process: SipProcess, reference: string): string[] =>
      process.trace.flatMap(({ callId, message }) =>
        callId === reference && message.includes('m=audio') ? [message] : [],
      );
    const says = [
      { afterSeconds: 1, text: 'Good morning, this is a test of the audio, one two three four five.' },
    ];

    it('goes out, is heard on both sides, and only by keys in the descriptions', async () => {
      const { both } = await authority.issue(HOST);
      const person = await startPerson({
        number: '+12025550199',
        says,
        tls: { both, authority: authority.file },
      });
      stops.push(person.stop);
      const call = await dial(trusting, trunkOf(person.port));
      await call.until('media', 30_000).catch((err: unknown) => {
        throw new Error(`${err}\n${JSON.stringify(call.events)}\n${person.output().slice(-2_000)}`);
      });
      await audible(sessionOf(trusting, call.reference), person);
      const descriptions = descriptionsOf(trusting, call.reference);
      expect(descriptions.length).toBeGreaterThanOrEqual(2);
      for (const text of descriptions) expect(text).toMatch(/m=audio \d+ RTP\/SAVP /);
      // Keys don't reach the trace.
      for (const text of descriptions) expect(text).not.toMatch(/inline:[A-Za-z0-9+/]{20}/);
      person.type('b');
      await expect(call.until('ended', 30_000)).resolves.toMatchObject({ cause: 'remote' });
    });

    it('comes in by our listener, whose certificate the trunk verifies', async () => {
      const own = await authority.issue('127.0.0.1');
      const port = await freePort();
      const [cert, key] = [await readFile(own.cert, 'utf8'), await readFile(own.key, 'utf8')];
      const here = sipProcess(world, {
        ca: [authority.pem],
        listeners: [{ transport: 'tls', host: '127.0.0.1', port, cert, key }],
      });
      stops.push(here.stop);
      const trunk = { host: '127.0.0.1', port: null, transport: 'tls' as const, credentials: null };
      world.numbers = [
        { numberId: 'number', workspaceId: 'workspace', phoneNumber: CALLED, isActive: true, trunk },
      ];
      let offered = '';
      here.carrier.receive(async (ring) => {
        offered = ring.reference;
        return true;
      }, here.lifecycle);
      const { both } = await authority.issue(HOST);
      const person = await startPerson({ number: 'caller', says, tls: { both, authority: authority.file } });
      stops.push(person.stop);
      person.type(`/dial sip:${CALLED}@127.0.0.1:${port};transport=tls\n`);
      const reference = await eventually(() => {
        if (offered === '') throw new Error(`nobody called: ${person.output().slice(-2_000)}`);
        return offered;
      }, PATIENCE);
      const heard = watch(here.carrier, reference);
      await here.carrier.attach(reference, { humanTurns: 0, lastSpeaker: null, state: null });
      await here.carrier.answer(reference);
      await heard.until('media', 30_000);
      await audible(sessionOf(here, reference), person);
      for (const text of descriptionsOf(here, reference)) expect(text).toMatch(/m=audio \d+ RTP\/SAVP /);
      await here.carrier.hangup(reference);
      await expect(heard.until('ended')).resolves.toMatchObject({ cause: 'local' });
    });
  },
);
