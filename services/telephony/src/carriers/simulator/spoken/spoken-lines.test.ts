import { expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { createClock, realSleep } from '@parley/kit/time';
import { levelDb } from '@parley/media';
import { tone } from '@parley/media/testing';
import { planLeg } from '../plan.ts';
import { createSpokenLines } from './spoken-lines.ts';

const SYNTHESIS_MS = 1_000;
const RINGS_MS = 1_200;
/** The delay of the line, and time for a busy machine. */
const AT_ONCE_MS = 700;

it('an answering machine begins its greeting at the answer, however long its voice takes [running.11]', async () => {
  const open = createSpokenLines({
    isWideband: false,
    hasTones: true,
    voice: async () => {
      await realSleep(SYNTHESIS_MS);
      return { samples: tone(400, 3_000, 8_000), sampleRate: 8_000 };
    },
    clock: createClock({ rate: 1, originMs: 0 }),
    log: createLogger({ service: 'test', level: 'silent' }),
    saveState: async () => {},
  });
  const to = '+15550110003';
  const line = open({
    record: { reference: 'a', direction: 'outbound', from: '+15550110001', to } as never,
    plan: planLeg(to, 0),
    soFar: { humanTurns: 0, lastSpeaker: null } as never,
    onHangup: () => {},
  });
  await realSleep(RINGS_MS);
  const isHeard = new Promise<boolean>((resolve) => {
    line.start(() => {
      const media = line.media();
      if (media?.kind !== 'audio') throw new Error('no audio');
      media.session.onFrame(({ samples }) => {
        if (levelDb(samples) > -30) resolve(true);
      });
    });
  });
  expect(await Promise.race([isHeard, realSleep(AT_ONCE_MS).then(() => false)])).toBe(true);
  line.stop();
});
