import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, freePort } from '@parley/testkit';
import {
  CarrierDouble,
  headerOf,
  kamailio,
  type RunningEdge,
  startEdge,
  WorkerDouble,
} from '../src/testing/index.ts';

const URI = 'sip:+4930@carrier.invalid';
const SDP = 'v=0\r\n';
/** How long a message would take at most that must not come. */
const SILENCE_MS = 400;

// Kamailio of Debian, where it is installed.
(kamailio ? describe : describe.skip)('a CANCEL of a worker at the edge', () => {
  let edge: RunningEdge;
  let port: number;
  let internalPort: number;
  const releases: (() => unknown)[] = [];
  beforeAll(async () => {
    [port, internalPort] = [await freePort(), await freePort()];
    const own = { address: '127.0.0.1', port, internalAddress: '127.0.0.1', internalPort };
    edge = await startEdge({ ...own, privateNetworks: ['127.0.0.0/8'] });
  });
  afterAll(async () => {
    for (const release of releases.splice(0)) await release();
    await edge?.stop();
  });

  const worker = async (): Promise<WorkerDouble> => {
    const double = await WorkerDouble.connect({ url: `ws://127.0.0.1:${internalPort}` });
    releases.push(() => double.crash());
    return double;
  };
  const carrier = async (): Promise<CarrierDouble> => {
    const double = await CarrierDouble.open();
    releases.push(() => double.close());
    return double;
  };
  const send = (
    by: WorkerDouble,
    method: string,
    caller: WorkerDouble,
    { port: trunkPort }: CarrierDouble,
  ): string =>
    by.request(method, URI, [
      ['Via', `SIP/2.0/WS ${caller.id}.invalid;branch=z9hG4bK${caller.id};rport`],
      ['From', `<sip:+4940@edge.invalid>;tag=${caller.id}`],
      ['Call-ID', caller.id],
      ['CSeq', `1 ${method}`],
      ['X-Parley-Target', `sip:127.0.0.1:${trunkPort};transport=udp`],
      ...(method === 'INVITE'
        ? ([['Contact', `<sip:any@${caller.id}.invalid;transport=ws>`]] as [string, string][])
        : []),
    ]);
  const statuses = ({ received }: WorkerDouble, method: string): (number | undefined)[] =>
    received.filter((message) => headerOf(message, 'cseq') === `1 ${method}`).map(({ status }) => status);
  /** A call that rings. */
  const ringing = async (caller: WorkerDouble, trunk: CarrierDouble): Promise<string> => {
    send(caller, 'INVITE', caller, trunk);
    const invite = await trunk.receives(/^INVITE /);
    trunk.answer(invite, '180 Ringing', port);
    await eventually(() => expect(statuses(caller, 'INVITE')).toContain(180));
    return invite;
  };

  it('of a call that the edge does not know gets 481 at once, and reaches no carrier [sip.14]', async () => {
    const [one, trunk] = [await worker(), await carrier()];
    send(one, 'CANCEL', one, trunk);
    await eventually(() => expect(statuses(one, 'CANCEL')).toEqual([481]), { timeoutMs: 5_000 });
    expect(trunk.received).toEqual([]);
  });

  it('of a call of a worker that has died has the answer that crosses it brought to the worker that cancels, which acknowledges it and hangs up [sip.14]', async () => {
    const [dead, next, trunk] = [await worker(), await worker(), await carrier()];
    const invite = await ringing(dead, trunk);
    dead.crash();
    send(next, 'CANCEL', dead, trunk);
    await trunk.receives(/^CANCEL /);
    trunk.answer(invite, '200 OK', port, SDP);
    const answer = await eventually(() => {
      const found = next.received.find(
        (message) => message.status === 200 && headerOf(message, 'cseq') === '1 INVITE',
      );
      if (!found) throw new Error('no answer');
      return found;
    });
    const routes = answer.headers.filter(([name]) => name.toLowerCase() === 'record-route').reverse();
    for (const [n, method] of ['ACK', 'BYE'].entries()) {
      next.request(method, headerOf(answer, 'contact').replace(/^<|>$/g, ''), [
        ['From', headerOf(answer, 'from')],
        ['To', headerOf(answer, 'to')],
        ['Call-ID', dead.id],
        ['CSeq', `${n + 1} ${method}`],
        ...routes.map(([, route]): [string, string] => ['Route', route]),
      ]);
      await trunk.receives(new RegExp(`^${method} `));
    }
  });

  it('of a call of its own has the answer that crosses it brought to it once', async () => {
    const [one, trunk] = [await worker(), await carrier()];
    const invite = await ringing(one, trunk);
    send(one, 'CANCEL', one, trunk);
    await trunk.receives(/^CANCEL /);
    trunk.answer(invite, '200 OK', port, SDP);
    await eventually(() => expect(statuses(one, 'INVITE')).toContain(200));
    await sleep(SILENCE_MS);
    expect(statuses(one, 'INVITE').filter((status) => status === 200)).toHaveLength(1);
  });
});
