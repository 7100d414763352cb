import { describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'sip.js/lib/core/index.js';
import type { SipConnection } from './connection.ts';
import type { Connections } from './connections.ts';
import { openFlow } from './flow.ts';
import type { Router } from './router.ts';

describe('a response', () => {
  it.each([
    'Via: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bK7',
    'v: SIP/2.0/TCP 192.0.2.1 ; branch = z9hG4bK7;rport',
    'Via: SIP/2.0/TCP\r\n 192.0.2.1;\r\n branch=z9hG4bK7',
    'Via: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bK7, SIP/2.0/UDP 192.0.2.9;branch=z9hG4bK9',
  ])('returns by the connection on which its request came: %j', async (via) => {
    const open = (name: string): SipConnection => ({ name, transport: 'tcp', isOpen: true }) as never;
    const [own, other] = [open('own'), open('other')];
    const used: SipConnection[] = [];
    const router = { send: (connection: SipConnection) => void used.push(connection) } as unknown as Router;
    const connections = { to: async () => own, hold: () => () => {} } as unknown as Connections;
    const address = { host: undefined, ports: {}, edge: { host: 'worker.invalid' } };
    const flow = await openFlow(
      { connections, router, own: () => address },
      { hop: { via: 'edge' }, callId: null },
    );
    flow.arrived({ viaBranch: 'z9hG4bK7' } as IncomingMessage, other);
    await flow.send(`SIP/2.0 200 OK\r\n${via}\r\n\r\n`);
    await flow.send('SIP/2.0 200 OK\r\nVia: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bK8\r\n\r\n');
    expect(used).toEqual([other, own]);
  });
});
