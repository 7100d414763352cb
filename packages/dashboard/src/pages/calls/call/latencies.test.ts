import { describe, expect, it } from '@jest/globals';
import type { TimelineEntry } from '@parley/contracts';
import { stagesOf, summarize } from './latencies.ts';

const answer = (first_audio_ms: number): TimelineEntry => ({
  at: '2026-03-14T09:00:00.000Z',
  type: 'turn',
  message: '',
  role: 'agent',
  content: 'Yes',
  latency: { end_of_turn_ms: 100, first_token_ms: 200, first_audio_ms },
});

describe('latencies', () => {
  it('are split into stages that add up to the wait', () => {
    expect(stagesOf({ end_of_turn_ms: 100, first_token_ms: 400, first_audio_ms: 650 })).toEqual([
      100, 300, 250,
    ]);
    expect(stagesOf({ end_of_turn_ms: 300, first_token_ms: 200, first_audio_ms: 350 })).toEqual([300, 0, 50]);
  });

  it('are summarized over the answers of a call, where there are any', () => {
    expect(summarize([500, 300, 900, 400].map(answer))).toEqual({
      count: 4,
      median: 400,
      p95: 900,
      slowest: 900,
    });
    expect(summarize([])).toBeUndefined();
  });
});
