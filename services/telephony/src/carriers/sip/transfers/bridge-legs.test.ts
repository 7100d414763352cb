import { describe, expect, it } from '@jest/globals';
import type { SipLeg } from '../legs/sip-leg.ts';
import { passKeys } from './bridge-legs.ts';

describe('keys that one party of a bridge presses [sip.16]', () => {
  it('wait until those before are sent, 200 at most: more are ignored', async () => {
    let press = (_: string): void => {};
    let sent = 0;
    let release = (): void => {};
    const sending = new Promise<void>((resolve) => {
      release = resolve;
    });
    const session = {
      onDigit: (listener: (key: string) => void) => {
        press = listener;
      },
      sendDigits: () => {
        sent += 1;
        return sending;
      },
    };
    const media = { session: () => session, hasKeys: () => true };
    const leg = { body: { media, dialog: () => undefined, onInfoKey: () => {} } } as unknown as SipLeg;
    passKeys(leg, leg);
    for (let n = 0; n < 1_000; n += 1) press('5');
    release();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(sent).toBe(200);
    press('6');
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(sent).toBe(201);
  });
});
