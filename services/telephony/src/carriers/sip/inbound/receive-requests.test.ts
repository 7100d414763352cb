import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import type { IncomingRequestMessage } from 'sip.js/lib/core/index.js';
import type { SipConnection } from '../signalling/connection.ts';
import { parseMessage } from '../signalling/parse.ts';
import type { Signalling } from '../signalling/signalling.ts';
import type { CalledTrunk } from './find-caller.ts';
import { receiveRequests } from './receive-requests.ts';

/** The number called is `workspace-n`. */
const invite = (n: number, workspace: string): IncomingRequestMessage =>
  parseMessage(
    [
      `INVITE sip:${workspace}-${n}@parley.example SIP/2.0`,
      `Via: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bK${workspace}${n}`,
      'From: <sip:a@example.com>;tag=1',
      `To: <sip:${workspace}-${n}@parley.example>`,
      `Call-ID: ${workspace}-${n}`,
      'CSeq: 1 INVITE',
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n'),
  ) as IncomingRequestMessage;

/** Receives requests of trunks; `take` gets an INVITE, and `taken` lists the called workspaces of those that wait from then on. */
function receiving() {
  const taken: string[] = [];
  let take = (_: IncomingRequestMessage, __: SipConnection): void => {};
  const signalling = {
    onRequest: (taker: typeof take) => {
      take = taker;
    },
    connections: { trust: () => {}, isOwn: () => false },
  } as unknown as Signalling;
  receiveRequests({
    signalling,
    findCaller: async ({ ruri }) => {
      const [workspaceId = '', n = ''] = (ruri?.user ?? '').split('-');
      return { type: 'known', called: { numberId: `${workspaceId}${n}`, workspaceId } as CalledTrunk };
    },
    isTrunkAddress: () => true,
    onCall: ({ called }) => {
      taken.push(called.workspaceId);
      return new Promise(() => {});
    },
    onRefused: () => {},
    log: createLogger({ service: 'test', level: 'silent' }),
  });
  const sent: string[] = [];
  const from = (remoteAddress: string): SipConnection =>
    ({
      ...{ transport: 'tcp', isOpen: true, remoteAddress },
      send: (text: string) => void sent.push(text),
    }) as unknown as SipConnection;
  return { taken, sent, from, take: (...given: Parameters<typeof take>) => take(...given) };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('calls that wait for their workspace [trust.1]', () => {
  it('leave room for those of others', async () => {
    const { taken, sent, from, take } = receiving();
    for (let n = 0; n < 1_200; n += 1) {
      take(invite(n, 'many'), from(`192.0.2.${n % 30}`));
      if (n % 100 === 0) await turn();
    }
    await turn();
    take(invite(1, 'other'), from('198.51.100.1'));
    await turn();
    expect(taken.filter((one) => one === 'many')).toHaveLength(250);
    expect(taken).toContain('other');
    expect(sent.some((text) => text.startsWith('SIP/2.0 503'))).toBe(true);
  });

  it('leave room for those of others at the same carrier', async () => {
    const { taken, from, take } = receiving();
    const carrier = from('192.0.2.1');
    for (let n = 0; n < 400; n += 1) {
      take(invite(n, 'many'), carrier);
      if (n % 20 === 0) await turn();
    }
    await turn();
    take(invite(1, 'other'), carrier);
    await turn();
    expect(taken.filter((one) => one === 'many')).toHaveLength(250);
    expect(taken).toContain('other');
  });
});
