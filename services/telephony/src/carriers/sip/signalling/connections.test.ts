import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import type { SipConnection } from './connection.ts';
import { type Connections, createConnections } from './connections.ts';

const IDLE_MS = 300;
const MESSAGE = 'OPTIONS sip:a SIP/2.0\r\nContent-Length: 0\r\n\r\n';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Listens; all addresses are those of trunks. */
async function listening(incomingIdleMs?: number) {
  const seen: SipConnection[] = [];
  const connections: Connections = createConnections({
    findEdges: async () => [],
    isTrunkAddress: () => true,
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
  return { connections, seen, open };
}
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('incoming connections of a known address [sip.12]', () => {
  it('are 50 at most, so that others can connect', async () => {
    const { open } = await listening();
    const sockets = await Promise.all(Array.from({ length: 60 }, () => open()));
    const other = await open('127.0.0.2');
    await wait(300);
    expect(sockets.filter(({ closed }) => closed)).toHaveLength(10);
    expect(other.closed).toBe(false);
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
