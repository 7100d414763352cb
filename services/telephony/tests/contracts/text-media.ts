import { describe, expect, it } from '@jest/globals';
import type { Carrier } from '../../src/carriers/carrier.ts';
import type { TextLine } from '../../src/carriers/media.ts';
import { type CarrierUnderTest, DEADLINE, dial, listen } from './carrier-under-test.ts';
import type { Reception } from './reception.ts';

const lineOf = (carrier: Carrier, reference: string): TextLine => {
  const media = carrier.media(reference);
  if (media?.kind !== 'text') throw new Error(`no text but ${media?.kind}`);
  return media.line;
};

/** The media of carriers of text. */
export function textMedia({ carrier, callees, callers, soFar }: CarrierUnderTest, { take }: Reception): void {
  describe('media', () => {
    const callee = callees?.talks;
    if (callee)
      it('is there when the leg is answered; it carries what is said until the human hangs up', async () => {
        const { reference, until } = await dial(carrier(), await callee());
        await until('answered');
        const text = lineOf(carrier(), reference);
        const over = new AbortController();
        const talk = async (): Promise<string[]> => {
          const lines: string[] = [];
          for (;;) {
            await text.say('Hello?', over.signal);
            const line = await Promise.race([text.hear(over.signal), until('ended').then(() => null)]);
            if (line === null) return lines;
            lines.push(line);
          }
        };
        expect((await talk()).length).toBeGreaterThan(2);
        expect(await until('ended')).toMatchObject({ cause: 'remote' });
        over.abort(new Error('over'));
        await expect(text.say('Still there?', over.signal)).rejects.toThrow('over');
        await expect(text.hear(over.signal)).rejects.toThrow('over');
        carrier().detach(reference);
        expect(carrier().media(reference)).toBeUndefined();
      });

    const calls = callers?.talks;
    if (calls)
      it('carries what a caller says, in any process that the call is attached to', async () => {
        const { on, peer, caller, reference, until } = await take(calls);
        await on.answer(reference);
        const { at } = await until('answered');
        const state = await soFar(reference);
        on.detach(reference);
        expect(on.media(reference)).toBeUndefined();
        const second = listen(peer, reference);
        expect(await peer.attach(reference, state)).toBe(true);
        const signal = AbortSignal.timeout(DEADLINE.timeoutMs);
        const text = lineOf(peer, reference);
        expect(await text.hear(signal)).toBe('Hello?');
        await text.say('Good morning.', signal);
        expect(await text.hear(signal)).toBe('Bye.');
        await text.say('Goodbye.', signal);
        expect(await second.until('ended')).toMatchObject({ cause: 'remote', answeredAt: at });
        await caller.done?.();
        peer.detach(reference);
      });
  });
}
