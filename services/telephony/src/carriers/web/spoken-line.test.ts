import { describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { WebAudioLineEvents } from './audio/audio-line.ts';
import type { WebAudio } from './audio/web-audio.ts';
import { createSpokenLine } from './spoken-line.ts';

/** The line of a browser. `failures`: how often the database fails first; `isAnswered`: by a previous worker. */
function connectedLine(failures: number, isAnswered = false) {
  const failed: unknown[] = [];
  const done: string[] = [];
  let events: WebAudioLineEvents | undefined;
  const audio = {
    openLine: (given: WebAudioLineEvents) => {
      events = given;
      return { session: () => ({}), close: () => {} };
    },
  } as unknown as WebAudio;
  let left = failures;
  const store = async (what: string): Promise<void> => {
    left -= 1;
    if (left >= 0) throw new Error('the database cannot be reached');
    done.push(what);
  };
  const line = createSpokenLine({
    callId: 'call',
    audio,
    soFar: { humanTurns: 0, state: null } as never,
    isAnswered,
    saveState: async () => {},
    emit: () => {},
    answer: () => store('answered'),
    answerOffer: async () => {},
    end: (cause) => store(`ended: ${cause}`),
    onFailure: (err) => void failed.push(err),
  });
  return { line, done, failed, events: events as unknown as WebAudioLineEvents };
}

describe('the line of a spoken web call while the database cannot be reached [web-calls.5]', () => {
  it('is answered by the next attempt of its session', async () => {
    const { line, done } = connectedLine(1);
    await expect(line.answer()).rejects.toThrow('database');
    await line.answer();
    expect(done).toEqual(['answered']);
    line.close();
  });

  it('is answered when the browser has connected, without another event', async () => {
    const { line, done, events } = connectedLine(3);
    await line.answer().catch(() => {});
    events.onConnected();
    await eventually(() => expect(done).toEqual(['answered']));
    line.close();
  });

  it('ends when its visitor is lost, which is reported once', async () => {
    const { line, done, failed, events } = connectedLine(2);
    events.onLost(true);
    await eventually(() => expect(done).toEqual(['ended: remote']));
    expect(failed).toHaveLength(2);
    line.close();
  });

  it('tries nothing more once it is closed', async () => {
    const { line, done, events } = connectedLine(1);
    events.onLost(true);
    line.close();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(done).toEqual([]);
  });
});

describe('the visitor of a spoken web call is gone [web-calls.5]', () => {
  it.each([
    ['had never connected', false, false, 'lost'],
    ['was connected', false, true, 'remote'],
    ['was connected to a previous worker, and did not come back', true, false, 'remote'],
  ])('who %s', async (_, isAnswered, wasConnected, cause) => {
    const { line, done, events } = connectedLine(0, isAnswered);
    events.onLost(wasConnected);
    await eventually(() => expect(done).toEqual([`ended: ${cause}`]));
    line.close();
  });
});
