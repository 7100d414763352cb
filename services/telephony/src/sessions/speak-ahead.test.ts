import { describe, expect, it } from '@jest/globals';
import { createClock } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import { assistant, dialingCall, ID, START, sessionDeps, silentCarrier } from '../../tests/session-parts.ts';
import type { Carrier } from '../carriers/carrier.ts';
import type { LiveModels } from './live-models.ts';
import { createCallSession } from './session.ts';

/** An inbound call whose assistant is selected; resolves when it is answered. True: the greeting was synthesized before. */
async function speaksAhead(carrier: Partial<Carrier>, live?: LiveModels): Promise<boolean> {
  const done: string[] = [];
  const deps = sessionDeps(
    { ...silentCarrier, ...carrier, answer: async () => void done.push('answer') },
    createClock({ rate: 1, originMs: START.getTime() }),
  );
  const session = createCallSession(
    {
      ...deps,
      live,
      speakAhead: (given) => void done.push(given === assistant ? 'greeting' : 'other'),
      decide: async () => ({
        type: 'answer',
        selected: { agentId: ID, agentVersion: 1, agentWebhookUrl: null, dynamicVariables: {} },
        assistant,
      }),
    },
    {
      call: {
        ...dialingCall,
        callType: 'inbound',
        state: { ...dialingCall.state, phase: 'selecting_assistant' },
      },
      assistant: null,
      record: [],
      onOver: () => {},
    },
  );
  session.answer();
  await eventually(() => expect(done).toContain('answer'));
  await session.release(0);
  expect(done.at(-1)).toBe('answer');
  return done[0] === 'greeting';
}

describe('the greeting of a call that comes in', () => {
  const audio: Partial<Carrier> = { capabilities: { ...silentCarrier.capabilities, media: 'audio' } };

  it('is synthesized while the call is being answered, if it has audio', async () => {
    expect(await speaksAhead(audio)).toBe(true);
    expect(await speaksAhead({})).toBe(false);
    expect(await speaksAhead({ ...audio, isSpoken: () => false })).toBe(false);
  });

  it('is left to a live model', async () => {
    expect(await speaksAhead(audio, { serves: () => true, open: undefined })).toBe(false);
  });
});
