import { expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { createClock } from '@parley/kit/time';
import type { LegRecord } from './leg-record.ts';
import { offerRings } from './offer-rings.ts';

it('an inbound call that could not be taken is logged with its id, and the others are taken', async () => {
  const logged: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void logged.push(JSON.parse(line)) };
  const log = createLogger({ service: 'telephony', level: 'warn', destination });
  const ringing = (reference: string) => ({ id: `leg-${reference}`, reference }) as LegRecord;
  const taken: string[] = [];
  const callers = {
    offer: async () => [ringing('first'), ringing('second')],
    taken: async (id: string) => void taken.push(id),
  };
  const deps = { callers: callers as never, clock: createClock({ rate: 1, originMs: 0 }), log };
  await offerRings(deps, async ({ reference }) => {
    if (reference === 'first') throw new Error('the database cannot be reached');
    return true;
  });
  expect(logged).toMatchObject([{ msg: 'inbound call could not be taken', callId: 'first' }]);
  expect(taken).toEqual(['leg-second']);
});
