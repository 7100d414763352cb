import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { audioMedia } from './audio-media.ts';
import { callsPlaced } from './calls-placed.ts';
import { callsReceived } from './calls-received.ts';
import { type CarrierUnderTest, listen, NOTHING, requestTo } from './carrier-under-test.ts';
import { createReception } from './reception.ts';
import { textMedia } from './text-media.ts';

/** What every adapter of a carrier does: signalling (`CallControl`) and media (`MediaSource`). */
export function carrierContract(name: string, underTest: CarrierUnderTest): void {
  const { carrier, capabilities, callees, callers } = underTest;
  describe(`the contract of carriers: ${name}`, () => {
    const reception = createReception(underTest);
    beforeAll(reception.open);
    afterAll(reception.close);

    it('has the capabilities that its far ends show', () =>
      expect(carrier().capabilities).toEqual(capabilities));

    it('knows no leg that nobody asked for', async () => {
      const reference = randomUUID();
      const { events } = listen(carrier(), reference);
      expect(await carrier().attach(reference, NOTHING)).toBe(false);
      await carrier().answer(reference);
      await carrier().reject(reference);
      await carrier().hangup(reference);
      const transfer = { reference, transferId: randomUUID(), destination: '+12025550188' };
      await expect(carrier().transfer({ ...transfer, type: 'cold' })).rejects.toThrow();
      await expect(carrier().sendDigits(reference, '1')).rejects.toThrow();
      expect(carrier().media(reference)).toBeUndefined();
      carrier().detach(reference);
      expect(events).toEqual([]);
    });

    if (callees) callsPlaced(underTest, callees);
    else
      it('cannot dial: the call ends', async () => {
        const request = requestTo({ to: '+12025550199', from: '+12025550100' });
        const { until } = listen(carrier(), request.reference);
        expect(await carrier().originate(request)).toMatchObject({ isSent: true });
        const { cause, answeredAt, provider } = await until('ended');
        expect([cause, answeredAt, provider?.text]).toEqual(['no_carrier', null, expect.any(String)]);
        carrier().detach(request.reference);
      });

    if (callers) callsReceived(underTest, callers, reception);
    if (capabilities.media === 'text') textMedia(underTest, reception);
    else audioMedia(underTest, reception);
  });
}
