import { describe, expect, it } from '@jest/globals';
import { createWebCarrier, type WebCarrierDeps } from './web-carrier.ts';

describe('a spoken web call that is detached while it is being attached', () => {
  it('is not held, and uses no capacity for audio', async () => {
    let find = (): void => {};
    const found = new Promise<void>((resolve) => {
      find = resolve;
    });
    let openLines = 0;
    const line = {
      ...{ callId: 'c', joinedAt: new Date(), answeredAt: null, endedAt: null, endedCause: null },
      ...{ media: 'audio', participant: 'p', offer: null, offerSeq: 0 },
    };
    const carrier = createWebCarrier({
      lines: { find: () => found.then(() => line) },
      clock: { now: () => new Date() },
      log: { error: () => {}, warn: () => {} },
      saveState: async () => {},
      loadAudio: async () => ({
        openLine: () => {
          openLines += 1;
          const close = (): void => {
            openLines -= 1;
          };
          return { session: () => undefined, close };
        },
      }),
    } as unknown as WebCarrierDeps);
    carrier.expectAudio('c');
    const attaching = carrier.attach?.('c', { humanTurns: 0, state: null } as never);
    carrier.detach?.('c');
    find();
    await attaching;
    expect([openLines, carrier.audioCalls()]).toEqual([0, 0]);
    expect(carrier.connectSocket('c', {} as never)).toBe(false);
  });
});
