import { describe, expect, it } from '@jest/globals';
import type { TimelineEntry } from '@parley/contracts';
import { linesOf, type TimedTool } from './voice-lines.ts';

const entry = (type: 'turn' | 'tool' | 'answered', fields: object) => ({ type, ...fields }) as TimelineEntry;
const said = (role: 'user' | 'agent', content: string, latency?: number) =>
  entry('turn', {
    role,
    content,
    ...(latency === undefined ? {} : { latency: { first_audio_ms: latency } }),
  });
const used = (tool_name: string) =>
  entry('tool', { tool_name, args: { day: 'Friday' }, result: { free: true } });
const tool = (id: string, startedMs: number, endedMs?: number): TimedTool => ({
  id,
  name: `find_${id}`,
  startedMs,
  status: endedMs === undefined ? 'running' : 'done',
  ...(endedMs === undefined ? {} : { endedMs }),
});
const turn = (seq: number, role: 'user' | 'agent', text: string) => ({ seq, role, text });

describe('lines of a call by voice [dashboard.63]', () => {
  it('have tools between the turns, with arguments, results and durations, once they are stored', () => {
    const timeline = [
      entry('answered', {}),
      said('agent', 'Hello.'),
      said('user', 'Is Friday free?'),
      used('find_slot'),
      said('agent', 'Yes.', 640),
    ];
    const turns = [turn(0, 'agent', 'Hello.'), turn(1, 'user', 'Is Friday free?'), turn(3, 'agent', 'Yes.')];
    expect(linesOf(timeline, turns, [tool('slot', 1_000, 1_250)])).toMatchObject([
      { kind: 'said', text: 'Hello.' },
      { kind: 'said', text: 'Is Friday free?' },
      { kind: 'used', entry: { args: { day: 'Friday' } }, durationMs: 250 },
      { kind: 'said', text: 'Yes.', latencyMs: 640 },
    ]);
  });

  it('end with what only the connection knows: turns that are not stored, and tools that run', () => {
    const turns = [turn(0, 'agent', 'Hello.'), turn(1, 'user', 'Is Friday free?')];
    const lines = linesOf([said('agent', 'Hello.')], turns, [tool('slot', 0)]);
    expect(lines).toMatchObject([
      { kind: 'said', text: 'Hello.' },
      { kind: 'said', text: 'Is Friday free?' },
      { kind: 'using', tool: { id: 'slot' } },
    ]);
    // The same line stays the same one when it is stored.
    expect(linesOf([said('agent', 'Hello.'), said('user', 'Is Friday free?')], turns, [])[1]?.key).toBe(
      lines[1]?.key,
    );
  });

  it('show each tool once: the first that ends is the first that is stored', () => {
    const slow = tool('slow', 0);
    const quick = tool('quick', 100, 300);
    expect(linesOf([used('find_quick')], [], [slow, quick])).toMatchObject([
      { kind: 'used', durationMs: 200 },
      { kind: 'using', tool: { id: 'slow' } },
    ]);
  });
});
