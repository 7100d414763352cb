import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import type { SipConnection } from './connection.ts';
import type { OwnersOf } from './connection-limit.ts';
import { type Connections, createConnections } from './connections.ts';

const IDLE_MS = 300;
const MESSAGE = 'OPTIONS sip:a SIP/2.0\r\nContent-Length: 0\r\n\r\n';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Listens; all addresses are those of one workspace's trunks, unless others are given. */
async function listening(incomingIdleMs?: number, ownersOf: OwnersOf = () => new Set(['one'])) {
  const seen: SipConnection[] = [];
  const refused: string[] = [];
  const connections: Connections = createConnections({
    findEdges: async () => [],
    ownersOf,
    onRefused: (address) => void refused.push(address),
    events: { onMessage: (connection) => void seen.push(connection), onClosed: () => {} },
    log: createLogger({ service: 'test', level: 'silent' }),
    lifecycle: { onStop: (_: string, stop: () => void) => void stops.push(stop) } as unknown as Lifecycle,
    ...(incomingIdleMs === undefined ? {} : { incomingIdleMs }),
  });
  const { port } = await connections.listen({ transport: 'tcp', host: '127.0.0.1', port: 0 });
  const open = async (localAddress = '127.0.0.1'): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    stops.push(() => socket.destroy());
    socket.on('error', () => {}).resume();
    await once(socket, 'connect');
    return socket;
  };
  return { connections, seen, refused, open };
}
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('incoming connections of a known address [sip.12]', () => {
  it('are 100 at most, so that others can connect; those that are refused are reported', async () => {
    const { refused, open } = await listening();
    const sockets = await Promise.all(Array.from({ length: 110 }, () => open()));
    const other = await open('127.0.0.2');
    await wait(300);
    expect(sockets.filter(({ closed }) => closed)).toHaveLength(10);
    expect(other.closed).toBe(false);
    expect(refused).toEqual(Array(10).fill('127.0.0.1'));
  });

  it('are 200 at most of one workspace, also those of addresses that its calls have proven', async () => {
    const { connections, seen, refused, open } = await listening(undefined, (address) =>
      address === '127.0.0.9' ? new Set() : new Set(['one']),
    );
    for (let n = 0; n < 200; n += 1) await open(`127.0.1.${n}`);
    const last = await open('127.0.1.201');
    const proven = await open('127.0.0.9');
    proven.write(MESSAGE);
    await wait(300);
    const [connection] = seen;
    if (!connection) throw new Error('Nothing was received');
    expect(last.closed).toBe(true);
    connections.trust(connection, 'one');
    expect(connections.isUnknown(connection)).toBe(true);
    expect(refused).toEqual(['127.0.1.201', '127.0.0.9']);
    connections.trust(connection, 'other');
    expect(connections.isUnknown(connection)).toBe(false);
  });

  it('are closed when they have been idle since their call, however long that was silent', async () => {
    const { connections, seen, open } = await listening(IDLE_MS);
    const socket = await open();
    socket.write(MESSAGE);
    await wait(100);
    const [connection] = seen;
    if (!connection) throw new Error('Nothing was received');
    const release = connections.hold(connection);
    await wait(3 * IDLE_MS);
    release();
    await wait(3 * IDLE_MS);
    expect(socket.closed).toBe(true);
  });

  it('are closed once they are idle, unless they carry a call or are kept alive', async () => {
    const { connections, seen, open } = await listening(IDLE_MS);
    const [idle, held, kept] = [await open(), await open(), await open()];
    held.write(MESSAGE);
    await wait(100);
    const [connection] = seen;
    if (!connection) throw new Error('Nothing was received');
    connections.hold(connection);
    for (let n = 0; n < 8; n += 1) {
      kept.write('\r\n\r\n');
      await wait(100);
    }
    expect([idle.closed, held.closed, kept.closed]).toEqual([true, false, false]);
  });
});
