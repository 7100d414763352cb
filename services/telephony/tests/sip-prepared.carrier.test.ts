import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { realSleep } from '@parley/kit/time';
import { eventually, freePort } from '@parley/testkit';
import type { NumberConnection, OriginateRequest } from '../src/carriers/call-control.ts';
import { sipProcess, sipWorld, trunkAt, watch } from './sip/sip-process.ts';

/** A trunk that takes connections, notes what arrives, and is busy. */
async function busyTrunk() {
  const sockets: Socket[] = [];
  let received = '';
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('data', (data) => {
      const text = data.toString();
      received += text;
      if (text.startsWith('INVITE ')) socket.write(busyHere(text));
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    connections: () => sockets.length,
    received: () => received,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function busyHere(invite: string): string {
  const copied = invite.split('\r\n').filter((line) => /^(via|from|call-id|cseq):/i.test(line));
  const to = `${/^to:.*$/im.exec(invite)?.[0]};tag=busy`;
  return ['SIP/2.0 486 Busy Here', ...copied, to, 'Content-Length: 0', '', ''].join('\r\n');
}

const request = (connection: () => Promise<NumberConnection>): OriginateRequest => ({
  reference: randomUUID(),
  workspaceId: randomUUID(),
  from: '+12025550100',
  to: '+12025550199',
  ringTimeoutMs: 30_000,
  detectsMachine: false,
  openConnection: connection,
  isTooLate: () => false,
});

describe('a dial over SIP that is prepared before its slot [campaigns.10]', () => {
  const { carrier, stop } = sipProcess(sipWorld());
  const stops: (() => unknown)[] = [];
  afterAll(stop);
  afterEach(async () => {
    for (const close of stops.splice(0).reverse()) await close();
  });

  it('connects ahead and sends nothing, and its INVITE leaves at once in the slot', async () => {
    const trunk = await busyTrunk();
    stops.push(trunk.stop);
    let opened = 0;
    const dial = request(async () => {
      opened += 1;
      return trunkAt(trunk.port);
    });
    expect(await carrier.prepare?.(dial)).toBe(true);
    await eventually(() => expect(trunk.connections()).toBe(1));
    // It was too late for its slot, and comes again in the next one.
    carrier.detach(dial.reference);
    expect(await carrier.prepare?.(dial)).toBe(true);
    await realSleep(50);
    expect(trunk.received()).toBe('');
    const called = watch(carrier, dial.reference);
    await carrier.originate(dial);
    expect(await called.until('ended')).toMatchObject({ cause: 'busy' });
    await eventually(() => expect(trunk.received()).toMatch(/^INVITE sip:\+12025550199@/));
    expect({ opened, connections: trunk.connections() }).toEqual({ opened: 1, connections: 1 });
  });

  it('has the ports for its audio before its slot, and gives them back if it never leaves', async () => {
    const trunk = await busyTrunk();
    stops.push(trunk.stop);
    const narrow = sipProcess(sipWorld(), { rtpPorts: { min: 32_100, max: 32_101 } });
    stops.push(narrow.stop);
    const [first, second] = [0, 1].map(() => request(async () => trunkAt(trunk.port)));
    if (!first || !second) throw new Error('there are two');
    expect(await narrow.carrier.prepare?.(first)).toBe(true);
    // The only pair of ports is the first one's. What can pass rejects, and is reported when it does not pass.
    await expect(narrow.carrier.prepare?.(second)).rejects.toThrow(/No free pair/);
    await expect(narrow.carrier.prepare?.(second)).rejects.toThrow(/No free pair/);
    expect(await narrow.carrier.prepare?.(second)).toBe(false);
    const late = { ...first, isTooLate: () => true };
    expect(await narrow.carrier.originate(late)).toMatchObject({ isSent: false });
    expect(trunk.received()).toBe('');
    await eventually(async () => expect(await narrow.carrier.prepare?.(second)).toBe(true));
  });

  it('without a way to its trunk is reported at once, also when its slot comes again', async () => {
    const down = request(async () => trunkAt(await freePort()));
    const heard = watch(carrier, down.reference);
    expect(await carrier.prepare?.(down)).toBe(false);
    expect(await carrier.prepare?.(down)).toBe(false);
    expect(heard.events).toEqual([]);
    await carrier.originate(down);
    expect(await heard.until('ended')).toMatchObject({ cause: 'transient', answeredAt: null });
  });
});
