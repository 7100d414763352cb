import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  expectRequest,
  expectResponse,
  hasSipp,
  pause,
  requestInside,
  respond,
  respondInside,
  type Step,
  startSipp,
} from '@parley/testkit/sip';
import { dial, sipProcess, sipWorld, trunkAt } from './sip/sip-process.ts';
import { WITHOUT_KEYS } from './sip/within-scenarios.ts';

const answered = (sdp: string): Step[] => [
  expectRequest('INVITE'),
  respond(200, 'OK', { sdp }),
  expectRequest('ACK'),
];

(hasSipp() ? describe : describe.skip)('keys in a bridged call', () => {
  const here = sipProcess(sipWorld());
  afterAll(() => here.stop());

  it('reach the other party, also by INFO [sip.16]', async () => {
    const party = await startSipp({
      steps: [
        ...answered(WITHOUT_KEYS),
        pause(1_500),
        requestInside('INFO', 1, { type: 'application/dtmf-relay', body: 'Signal=5\nDuration=160' }),
        expectResponse(200),
        expectRequest('BYE'),
        respondInside(200, 'OK'),
      ],
    });
    const target = await startSipp({
      steps: [
        ...answered(WITHOUT_KEYS),
        expectRequest('INFO'),
        respondInside(200, 'OK'),
        requestInside('BYE', 1),
        expectResponse(200),
      ],
    });
    const call = await dial(here, trunkAt(party.port));
    await call.until('media');
    await here.carrier.transfer({
      reference: call.reference,
      transferId: randomUUID(),
      destination: `sip:desk@127.0.0.1:${target.port};transport=tcp`,
      type: 'warm',
      consult: async () => true,
    });
    await expect(call.until('ended')).resolves.toMatchObject({ cause: 'transferred' });
    expect(await party.exited).toMatchObject({ code: 0 });
    expect(await target.exited).toMatchObject({ code: 0 });
    const infos = here.trace.filter(
      ({ direction, message }) => direction === 'sent' && /^INFO /.test(message),
    );
    expect(infos).toHaveLength(1);
    // Traces have no keys.
    expect(infos[0]?.message).not.toContain('5\r\n');
  });

  it('accept a warm transfer, also by INFO [sip.16]', async () => {
    const ended: Step[] = [expectRequest('BYE'), respondInside(200, 'OK')];
    const party = await startSipp({ steps: [...answered(WITHOUT_KEYS), ...ended] });
    const target = await startSipp({
      steps: [
        ...answered(WITHOUT_KEYS),
        pause(300),
        requestInside('INFO', 1, { type: 'application/dtmf-relay', body: 'Signal=1\nDuration=160' }),
        expectResponse(200),
        ...ended,
      ],
    });
    const call = await dial(here, trunkAt(party.port));
    await call.until('media');
    await here.carrier.transfer({
      reference: call.reference,
      transferId: randomUUID(),
      destination: `sip:desk@127.0.0.1:${target.port};transport=tcp`,
      type: 'warm',
      consult: (line) => new Promise((resolve) => line.onKey((key) => resolve(key === '1'))),
    });
    await expect(call.until('transfer_result')).resolves.toMatchObject({ ok: true });
    await here.carrier.hangup(call.reference);
    expect(await party.exited).toMatchObject({ code: 0 });
    expect(await target.exited).toMatchObject({ code: 0 });
  });
});
