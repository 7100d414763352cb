import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { audibleMs } from '@parley/media/testing';
import type { LiveModelDouble } from './doubles/live-model-double.ts';
import { createLiveCall, type LiveCall, STEP_MS } from './live-call.ts';

describe('a live model pauses', () => {
  let call: LiveCall;
  let model: LiveModelDouble;
  beforeEach(() => {
    call = createLiveCall();
    model = call.model;
  });
  afterEach(() => call.close());

  let sent: boolean[];
  const answering = async (given: { isInterruptible?: boolean } = {}): Promise<void> => {
    call.open(given);
    await call.pass(40);
    model.emit(
      { type: 'said', answer: 'a', text: 'one two three four five six seven eight nine ten' },
      { type: 'audio', answer: 'a', samples: new Int16Array(40_000).fill(4_000) },
    );
    await call.pass(500);
    sent = [];
    call.pair.near.onSent(({ samples }) => sent.push(audibleMs(samples, 8_000) > 0));
  };

  it('while the human coughs, and goes on', async () => {
    await answering();
    call.human(200);
    await call.pass(1_000);
    const from = sent.indexOf(false) * STEP_MS;
    const ms = sent.filter((isAudible) => !isAudible).length * STEP_MS;
    expect(from).toBeLessThanOrEqual(200);
    expect(ms).toBeGreaterThan(200);
    expect(ms).toBeLessThan(500);
    expect(sent.at(-1)).toBe(true);
    model.emit({ type: 'answer_ended', answer: 'a' });
    await call.pass(5_000);
    expect(call.turns[0]).toMatchObject({ text: expect.stringMatching(/ten$/), isInterrupted: false });
    expect(call.asked('cutOff')).toEqual([]);
  });

  it('for a second at most if the model does not let the human interrupt it', async () => {
    await answering();
    call.human(3_000);
    await call.pass(2_000);
    const ms = sent.filter((isAudible) => !isAudible).length * STEP_MS;
    expect(ms).toBeGreaterThan(700);
    expect(ms).toBeLessThanOrEqual(1_000);
    expect(sent.at(-1)).toBe(true);
  });

  it('not if the human cannot interrupt it', async () => {
    await answering({ isInterruptible: false });
    call.human(300);
    await call.pass(1_000);
    expect(sent).not.toContain(false);
  });
});
