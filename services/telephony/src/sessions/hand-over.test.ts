import { describe, expect, it } from '@jest/globals';
import { assistant, dialingCall, START, sessionDeps, silentCarrier } from '../../tests/session-parts.ts';
import type { TimelineEvent } from '../calls/timeline/timeline-event.ts';
import type { AnswerDetection } from './detect-answer.ts';
import type { Change, SpokenTurn } from './ports.ts';
import type { RecordedPort } from './recorded-port.ts';
import { createCallSession } from './session.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A spoken call in mid-answer, in a worker that continues it. */
async function answering(
  takeUnheard: (onKeys: (digits: string) => void) => void = () => {},
  {
    sinceAnswerMs = 0,
    says = 'We open at nine.',
    whileFinishing = (_: AnswerDetection | undefined): void => {},
  } = {},
) {
  const corrected: SpokenTurn[] = [];
  const timeline: TimelineEvent[] = [];
  const clock = {
    rate: 1,
    now: () => new Date(START.getTime() + sinceAnswerMs),
    realNow: () => START,
    toRealMs: (ms: number) => ms,
    sleep: () => new Promise<void>(() => {}),
    timer: () => () => {},
  };
  const carrier = {
    ...silentCarrier,
    capabilities: { ...silentCarrier.capabilities, media: 'audio' as const, endsSilentLegs: true },
    media: () => ({ kind: 'audio' as const, session: {} as never }),
  };
  const deps = sessionDeps(carrier, clock);
  const state = { ...dialingCall.state, phase: 'up' as const, answeredAt: START };
  const session = createCallSession(
    {
      ...deps,
      turns: { ...deps.turns, correct: (_, turn) => void corrected.push(turn) },
      writes: {
        holds: async () => true,
        save: async (_: unknown, __: unknown, change: Change) => {
          await settled();
          timeline.push(...change.timeline);
          return true;
        },
      },
      findEngine: () => ({
        capabilities: { nonBlockingTools: false },
        run: async ({ port, signal }) =>
          void (says === '' ? await new Promise(() => {}) : await port.say(says, signal)),
      }),
      openAudio: async ({ record, onKeys, detection }) => {
        let saying: Promise<unknown> = Promise.resolve();
        const speak = async (text: string, signal: AbortSignal): Promise<never> => {
          const entry = record.note({ role: 'agent', content: text });
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          if (entry) record.correct(entry, { content: 'We open', isInterrupted: false });
          throw signal.reason;
        };
        return {
          say: (text: unknown, signal: AbortSignal) => {
            const spoken = speak(String(text), signal);
            saying = spoken.catch(() => {});
            return spoken;
          },
          letFinish: async () => whileFinishing(detection),
          recordUnheard: async () => takeUnheard(onKeys),
          settled: () => saying,
          silentSinceMs: () => null,
          close: () => {},
        } as unknown as RecordedPort;
      },
    },
    { call: { ...dialingCall, state }, assistant, record: [], onOver: () => {} },
  );
  session.resume();
  await settled();
  await settled();
  return { session, corrected, timeline };
}

describe('an answer that is cut off in the middle', () => {
  it('is answered again if the call goes to another worker: the record has what was heard [calls.17]', async () => {
    const { session, corrected } = await answering();
    await session.release(5_000);
    expect(corrected).toEqual([{ seq: 0, content: 'We open' }]);
  });

  it('is final if the call ends', async () => {
    const { session, corrected } = await answering();
    session.stop('stopped');
    await settled();
    await settled();
    expect(corrected).toEqual([{ seq: 0, content: 'We open', isInterrupted: false }]);
    await session.release(0);
  });
});

describe('keys that were pressed just before a worker stops', () => {
  it('are an entry of the timeline [calls.18]', async () => {
    const { session, timeline } = await answering((onKeys) => {
      onKeys('42');
      onKeys('7');
    });
    await session.release(5_000);
    expect(timeline).toMatchObject([
      { type: 'dtmf', detail: { digits: '42' } },
      { type: 'dtmf', detail: { digits: '7' } },
    ]);
  });
});

describe('the first words of a callee just before a worker stops', () => {
  const noted = async (options: Parameters<typeof answering>[1]) => {
    let count = 0;
    const takeUnheard = (): void => {
      count += 1;
    };
    const { session, timeline } = await answering(takeUnheard, { ...options, says: '' });
    await session.release(5_000);
    return { count, timeline };
  };

  it.each([500, 2_000, 3_900, 4_000])(
    'are noted %d ms after the answer [calls.17]',
    async (sinceAnswerMs) => {
      expect((await noted({ sinceAnswerMs })).count).toBe(1);
    },
  );

  it('are not noted if they turn out to be those of a machine: the next worker meets it [calls.25]', async () => {
    const whileFinishing = (detection?: AnswerDetection) => detection?.onVerdict('machine');
    const { count, timeline } = await noted({ sinceAnswerMs: 2_000, whileFinishing });
    expect(count).toBe(0);
    expect(timeline).toMatchObject([{ type: 'machine_detected' }]);
  });
});
