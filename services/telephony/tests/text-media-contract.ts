import { describe, expect, it } from '@jest/globals';
import type { Carrier } from '../src/carriers/carrier.ts';
import type { TextLine } from '../src/carriers/media.ts';
import { type CarrierUnderTest, listen, NOTHING, requestTo, taken } from './call-control-contract.ts';

const lineOf = (carrier: Carrier, reference: string): TextLine => {
  const media = carrier.media(reference);
  if (media?.kind !== 'text') throw new Error(`no text but ${media?.kind}`);
  return media.line;
};

/** The contract of media of carriers with text. */
export function textMediaContract(name: string, underTest: CarrierUnderTest): void {
  const { carrier, other, numbers } = underTest;
  describe(`text media: ${name}`, () => {
    it('is there when the leg is answered; it carries what is said until the human hangs up', async () => {
      const request = requestTo(numbers.answers, numbers.from);
      const { reference } = request;
      const { until } = listen(carrier(), reference);
      await carrier().originate(request);
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
      carrier().detach(reference);
    });

    it('carries what a caller says, in any process that the call is attached to', async () => {
      const { reference, until } = await taken(underTest, ['Hello?', 'Bye.']);
      await carrier().answer(reference);
      const { at } = await until('answered');
      carrier().detach(reference);
      const second = listen(other(), reference);
      expect(await other().attach(reference, NOTHING)).toBe(true);
      const { signal } = new AbortController();
      const text = lineOf(other(), reference);
      expect(await text.hear(signal)).toBe('Hello?');
      await text.say('Good morning.', signal);
      expect(await text.hear(signal)).toBe('Bye.');
      await text.say('Goodbye.', signal);
      expect(await second.until('ended')).toMatchObject({ cause: 'remote', answeredAt: at });
      other().detach(reference);
    });

    it('is nowhere for a leg that is elsewhere', () => {
      expect(carrier().media('00000000-0000-7000-8000-000000000009')).toBeUndefined();
    });
  });
}
