import { describe, expect, it } from '@jest/globals';
import { dialingCall, START } from '../../../tests/session-parts.ts';
import type { Entry } from '../../sessions/ports.ts';
import { succeeded } from '../../sessions/tools/tool-outcome.ts';
import { toAnalyzed } from './analyzed-message.ts';

const call = {
  ...dialingCall,
  state: { ...dialingCall.state, endedAt: START, reason: 'user_hangup' as const },
};
const used = (seq: number, result: unknown): Entry => ({
  ...{ role: 'tool', seq, at: START, toolName: 'lookup', toolType: 'custom', description: null, args: {} },
  outcome: succeeded(result),
});
const said: Entry = { role: 'user', seq: 1, at: START, content: 'Hello' };

function messageOf(record: Entry[]) {
  const given = { call, edition: 1, recordingSid: null, record, summary: null, data: null };
  return toAnalyzed(given, { recordingUrl: null, now: START });
}

describe('call.analyzed', () => {
  it('contains a small result in the transcript and in the log', () => {
    const { transcript, tools } = messageOf([said, used(2, { ok: true })]);
    expect(transcript[1]).toMatchObject({ role: 'tool', result: { ok: true } });
    expect(tools).toMatchObject([{ result: { ok: true } }]);
    expect(tools[0]).not.toHaveProperty('turn');
  });

  it('contains many results once, in the transcript, and refers to their turns in the log', () => {
    const results = Array.from({ length: 70 }, (_, n) => used(n + 2, `${n}`.padEnd(15_000, 'x')));
    const message = messageOf([said, ...results]);
    const sent = JSON.parse(JSON.stringify(message));
    expect(sent.tools.map(({ turn }: { turn: number }) => turn)).toEqual(results.map((_, n) => n + 1));
    expect(sent.tools[0]).not.toHaveProperty('result');
    expect(message.transcript[70]).toMatchObject({ result: expect.stringMatching(/^69x+$/) });
    expect(JSON.stringify(message).length).toBeLessThan(70 * 15_000 * 1.1);
  });
});
