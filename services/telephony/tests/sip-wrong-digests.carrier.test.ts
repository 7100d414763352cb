import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '@parley/kit/observability';
import { monotonicMs } from '@parley/kit/time';
import { eventually, freePort } from '@parley/testkit';
import { createSipMetrics, type Refusal } from '../src/carriers/sip/sip-metrics.ts';
import { sipProcess, sipWorld } from './sip/sip-process.ts';

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
