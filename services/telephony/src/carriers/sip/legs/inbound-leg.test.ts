import { describe, expect, it } from '@jest/globals';
import { IncomingRequestMessage } from 'sip.js/lib/core/index.js';
import { CALL, headerOf, memoryProcess, settle } from '../../../../tests/sip/memory-process.ts';
import { parseMessage } from '../signalling/parse.ts';
import { takeLeg } from './inbound-leg.ts';

describe('a caller that cancels while we answer [sip.3]', () => {
  const request = (method: string): string =>
    [
      `${method} sip:+12025550123@127.0.0.1:5060;transport=tcp SIP/2.0`,
      'Via: SIP/2.0/TCP 192.0.2.1:5060;branch=z9hG4bK1',
      'From: <sip:+12025550177@192.0.2.1>;tag=caller',
      'To: <sip:+12025550123@127.0.0.1>',
      'Call-ID: inbound',
      `CSeq: 1 ${method}`,
      'Contact: <sip:caller@192.0.2.1:5060;transport=tcp>',
      'Max-Forwards: 70',
      ...(method === 'INVITE' ? ['Content-Type: application/sdp', 'Content-Length: 5', '', 'v=0\r\n'] : []),
      ...(method === 'INVITE' ? [] : ['Content-Length: 0', '', '']),
    ].join('\r\n');

  it('gets 487 and no answer', async () => {
    let agree = (): void => {};
    const process = memoryProcess({
      answer: () =>
        new Promise((resolve) => {
          agree = () => resolve('v=0\r\n');
        }),
    });
    const { connection, here } = process;
    const message = parseMessage(request('INVITE'));
    if (!(message instanceof IncomingRequestMessage)) throw new Error('not a request');
    process.watch(CALL);
    const leg = await takeLeg(here.legDeps(CALL), {
      ...{ callId: CALL, legId: 'leg', message, connection, isSecure: false, credentials: null },
      flow: await here.signalling.openFlow({ via: 'edge' }, CALL, connection),
      source: '192.0.2.1',
    });
    leg?.ring();
    const answering = leg?.answer();
    await process.receive(request('CANCEL'));
    agree();
    await answering;
    await settle();
    const responses = process
      .sentOf('SIP/2.0 ')
      .map((text) => `${text.slice(8, 11)} ${headerOf(text, 'CSeq')}`);
    expect(responses).toEqual(['100 1 INVITE', '180 1 INVITE', '200 1 CANCEL', '487 1 INVITE']);
    expect(process.events.map(({ type }) => type)).toEqual(['ended']);
  });
});
