import { expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { createMemoryPair, createTicker } from '@parley/media';
import { createManualClock, createRandom } from '@parley/media/testing';
import type { LiveModel } from '@parley/speech';
import { assistant, dialingCall } from '../../tests/session-parts.ts';
import { createOpenLive } from './open-live.ts';

const MODEL: LiveModel = {
  name: 'gemini',
  hearingRate: 16_000,
  speakingRate: 24_000,
  connect: () => new Promise(() => {}),
};

it('loads a model once for all calls, and again after that failed [assistants.23]', async () => {
  let attempts = 0;
  const open = await createOpenLive(
    {
      models: [{ name: 'gemini', type: 'gemini-live' }],
      metrics: { answered: () => {} },
      log: createLogger({ service: 'test', level: 'silent' }),
      timeoutMs: 1_000,
      saveState: async () => {},
    },
    async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('The file of its code could not be read');
      return MODEL;
    },
  );
  const clock = createManualClock();
  const ticker = createTicker(clock, (err) => {
    throw err;
  });
  const call = async (): Promise<void> => {
    const { near, close } = createMemoryPair({ clock, ticker, random: createRandom(1) });
    try {
      const port = await open({
        session: near,
        assistant: {
          ...assistant,
          config: { ...assistant.config, model: { ...assistant.config.model, provider: 'gemini' } },
        },
        call: dialingCall,
        tools: [],
        record: { note: () => undefined, correct: () => {} },
        history: { turns: () => [], lastAnswerSeq: () => -1 },
        useTool: async () => ({ result: null, error: null }),
        onKeys: () => {},
      });
      port.close();
    } finally {
      close();
    }
  };
  await expect(call()).rejects.toThrow('could not be read');
  await call();
  await call();
  expect(attempts).toBe(2);
});
